"""The record of a launch: counters, traffic by instruction and source line, findings, and the estimate."""

import ctypes

from collections import namedtuple

from . import _api
from ._library import library, table, text
from .tables import Table

COUNTERS = [text(info.key) for info in table("haul_counters")]
CLASSES = [text(name) for name in table("haul_class_names")]
STALLS = [text(info.key) for info in table("haul_stalls")]
ACTIONS = [text(name) for name in table("haul_action_names")]
SPACES = [text(name) for name in table("haul_space_names")]
GRADES = [text(name) for name in table("haul_grade_names")]
TRAFFIC = [name for name, _ in _api.haul_traffic._fields_]

Place = namedtuple("Place", "file line column")  # of the source; file is "" if the PTX has no line information
Access = namedtuple("Access", "action instruction block thread")  # block and thread: x, y, z
Instruction = namedtuple("Instruction", "text mnemonic ptx_line place memory_class traffic")


class Finding(namedtuple("Finding", "kind grade what why cure place other_place access other count blocks space address "
                                    "bytes object")):
    """A defect. `what` has the particulars, `why` and `cure` are those of the kind. `place` is the source line of the later
    access, which completes the defect; `other_place` that of the earlier one."""

    @property
    def severity(self):
        return self.grade

    @property
    def message(self):
        return self.what

    @property
    def file(self):
        return self.place.file if self.place else ""

    @property
    def line(self):
        return self.place.line if self.place else 0

    def __str__(self):
        at = f"{where(self.place)}: " if self.place else ""
        return f"{at}{self.grade}: {self.kind}: {self.what}"

    def __repr__(self):
        return f"<haul.Finding {self}>"


class Values(dict):
    """A dict that shows as a table in notebooks."""

    def table(self):
        return Table(("Name", "Value"), self.items())

    def _repr_html_(self):
        return self.table()._repr_html_()


class Findings(list):
    """A list of findings that shows as a table in notebooks."""

    def table(self):
        rows = [(f.grade, f.kind, where(f.place), where(f.other_place), f.count, f.what) for f in self]
        return Table(("Grade", "Kind", "Line", "Other line", "Threads", "What"), rows)

    def _repr_html_(self):
        return self.table()._repr_html_()


def number(value):
    """A counter: an int if it is whole."""
    return int(value) if value == int(value) else value


def traffic_of(t):
    return {name: getattr(t, name) for name in TRAFFIC}


class Launch:
    """The record of one launch. It stays valid after its device is closed."""

    def __init__(self, run):
        self._run = run  # owns the record's memory
        self._record = run.contents.launches[run.contents.launch_count - 1]

    def __del__(self):
        if getattr(self, "_run", None):
            library.haul_run_free(self._run)

    @property
    def kernel(self):
        """The kernel's name in the PTX."""
        return text(self._record.kernel)

    @property
    def name(self):
        """The kernel's name in the source, without its parameters and namespaces."""
        return source_name(self.kernel)

    @property
    def grid(self):
        return tuple(self._record.grid)

    @property
    def block(self):
        return tuple(self._record.block)

    @property
    def counters(self):
        """The counters by their names in <haul/counters.def>. Those that were not read are missing."""
        return Values((key, number(value)) for key, value in zip(COUNTERS, self._record.counters) if value >= 0)

    @property
    def bounds(self):
        """(low, high) of each counter: the range that it must fall in on hardware, or of a GPU's readings."""
        values = zip(COUNTERS, self._record.counters, self._record.bounds)
        return {key: (b.low, b.high) for key, value, b in values if value >= 0}

    @property
    def traffic(self):
        """Traffic by class ("Global Load"): a dict of dicts with requests, sectors, ideal_sectors and so on."""
        found = {name: traffic_of(t) for name, t in zip(CLASSES, self._record.classes)}
        return {name: t for name, t in found.items() if t["instructions"] and name}

    @property
    def instructions(self):
        """All instructions of the kernel, in PTX order."""
        return [self._instruction(i) for i in range(self._record.instruction_count)]

    def _place(self, i):
        place = self._record.instructions[i].place
        return Place(text(place.file), place.line, place.column)

    def _instruction(self, i):
        r = self._record.instructions[i]
        return Instruction(text(r.text), text(r.mnemonic), r.ptx_line, self._place(i), CLASSES[r.memory_class],
                           traffic_of(r.traffic))

    @property
    def checked(self):
        """Whether findings were looked for: the device was opened with check=True."""
        return self._record.checked

    @property
    def findings(self):
        """The findings of the launch, the most severe first."""
        return Findings(self._finding(self._record.findings[i]) for i in range(self._record.finding_count))

    def _access(self, a):
        if a.action == _api.HAUL_ACTION_NONE:
            return None, None
        return self._place(a.instruction), Access(ACTIONS[a.action], a.instruction, tuple(a.block), tuple(a.thread))

    def _finding(self, f):
        info = table("haul_finding_kinds")[f.kind]
        (place, access), (other_place, other) = self._access(f.access), self._access(f.other)
        return Finding(text(info.key), GRADES[f.grade], text(f.what or info.why), text(info.why), text(info.cure), place, other_place,
                       access, other, f.count, f.blocks, SPACES[f.space], f.address, f.bytes, text(f.object))

    @property
    def occupancy(self):
        o = self._record.occupancy
        return Values((name, getattr(o, name)) for name, _ in o._fields_)

    @property
    def estimate_us(self):
        """Estimated time in microseconds; None for a GPU, and for launches that were not counted."""
        return self._record.estimate_us if self._record.estimate_us >= 0 else None

    @property
    def measured_us(self):
        """Measured time in microseconds; None for a virtual GPU."""
        return self._record.measured_us if self._record.measured_us >= 0 else None

    @property
    def estimate(self):
        """The parts of the estimate: cycles, memory_share, l2_share and others of haul_estimate."""
        e = self._record.estimate
        return Values((name, getattr(e, name)) for name, _ in e._fields_ if name != "stalls")

    @property
    def stalls(self):
        """Cycles of warps by what they wait for, as a share of all; from the estimate."""
        cycles = list(self._record.estimate.stalls)
        return Values((key, value / sum(cycles)) for key, value in zip(STALLS, cycles) if sum(cycles))

    # ---- tables ----

    def memory_table(self):
        """Traffic by class, as in the report of `haul profile`."""
        rows = [(name, t["instructions"], t["requests"], t["sectors"], ratio(t["sectors"], t["requests"]),
                 ratio(t["ideal_sectors"], t["requests"]), t["bytes"], t["bank_conflicts"])
                for name, t in self.traffic.items()]
        columns = ("Class", "Instructions", "Requests", "Sectors", "Sectors/Request", "Ideal", "Bytes", "Bank conflicts")
        return Table(columns, rows, self.name)

    def line_table(self):
        """Traffic by source line and class, the most sectors first."""
        sums = {}
        for i in self.instructions:
            if i.memory_class and i.memory_class != CLASSES[0] and i.traffic["instructions"]:
                total = sums.setdefault((i.place.file, i.place.line, i.memory_class), dict.fromkeys(TRAFFIC, 0))
                for name in TRAFFIC:
                    total[name] += i.traffic[name]
        rows = [(f"{file.rsplit('/', 1)[-1]}:{line}", kind, t["requests"], t["sectors"],
                 ratio(t["sectors"], t["requests"]), ratio(t["ideal_sectors"], t["requests"]), t["bank_conflicts"])
                for (file, line, kind), t in sums.items()]
        columns = ("Line", "Class", "Requests", "Sectors", "Sectors/Request", "Ideal", "Bank conflicts")
        return Table(columns, sorted(rows, key=lambda row: -row[3]), self.name)

    def finding_table(self):
        return self.findings.table()

    def __repr__(self):
        time = self.measured_us if self.measured_us is not None else self.estimate_us
        words = [f"<{self.name}, grid {self.grid}, block {self.block}"]
        if time is not None:
            words.append(f"{time:.2f} us {'measured' if self.measured_us is not None else 'estimated'}")
        if self.checked:
            words.append(f"{self._record.finding_count} findings")
        return ", ".join(words) + ">"

    def __str__(self):
        return "\n".join([repr(self), repr(self.memory_table()), *map(str, self.findings)])

    def _repr_html_(self):
        return self.memory_table()._repr_html_() + (self.finding_table()._repr_html_() if self.findings else "")


def source_name(symbol):
    """The name in the source of a symbol of the PTX: "saxpy" of "_Z5saxpyfPKfPfi"."""
    name = ctypes.create_string_buffer(len(symbol.encode()) + 1)
    library.haul_kernel_name(symbol.encode(), name, len(name))
    return text(name.value)


def ratio(a, b):
    return a / b if b else None


def where(place):
    return f"{place.file.rsplit('/', 1)[-1]}:{place.line}" if place else None
