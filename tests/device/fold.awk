# One line for each kernel of a PTX file: its name, branches, branches backwards, uses of local memory, divisions, and
# how many it has of each instruction that moves data.
function finish(   count, i, j, operation, sorted, line) {
    count = 0
    for (operation in moves) sorted[++count] = operation
    for (i = 2; i <= count; i++) {
        operation = sorted[i]
        for (j = i - 1; j > 0 && sorted[j] > operation; j--) sorted[j + 1] = sorted[j]
        sorted[j + 1] = operation
    }
    line = kernel " " branches " " loops " " local " " divisions
    for (i = 1; i <= count; i++) line = line " " sorted[i] "=" moves[sorted[i]]
    print line
    kernel = ""
}

/\.entry / {
    kernel = $0
    sub(/.*\.entry /, "", kernel)
    sub(/\(.*/, "", kernel)
    split("", moves)
    split("", labels)
    branches = loops = local = divisions = 0
}

kernel != "" {
    line = $0
    sub(/^[ \t]*\{?[ \t]*/, "", line)
    sub(/^@!?%?[a-z]*[0-9]* +/, "", line)
    if (line ~ /^[$A-Za-z_0-9]+:/) labels[substr(line, 1, index(line, ":") - 1)] = 1
    split(line, words, /[ \t;]+/)
    if (words[1] ~ /^bra/) {
        branches++
        if (words[2] in labels) loops++
    }
    if (words[1] ~ /^(ld|st|red|atom|cp)\./ && words[1] !~ /^ld\.param/) moves[words[1]]++
    if (line ~ /\.local/) local++
    if (words[1] ~ /^(div|rem)\./) divisions++
}

/^}/ && kernel != "" { finish() }
