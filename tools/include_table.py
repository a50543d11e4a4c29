"""The folder table of docs/architecture.md, held against includes, names, declared dependencies and links.

These must agree: what a file includes and names, what its target declares in CMakeLists.txt, and what the tables below
allow. tools/include_table_test.py shows that each disagreement is found.
"""

import posixpath
import re

import house_rules

# folder: what it may include besides itself. The order is that of the ranks, lowest first.
MAY_INCLUDE = {
    "base": (),
    "ops": ("base",),
    "oracle": ("base",),  # tests/oracle: an auditor that shared the rules' code would share their mistakes
    "rules": ("base",),
    "stage": ("base",),
    "gate": ("rules", "base"),
    "judge": ("rules", "ops", "base"),
    "queue": ("rules", "base"),
    "pipeline": ("gate", "judge", "queue", "rules", "stage", "ops", "base"),
    "jobs": ("pipeline", "gate", "judge", "queue", "rules", "stage", "ops", "base"),
    "queries": ("jobs", "pipeline", "gate", "judge", "rules", "ops", "base"),
    "http": ("queries", "pipeline", "rules", "stage", "ops", "base"),
    "plain": ("oracle", "judge", "rules", "base"),  # tests/plain
    "sim": ("plain", "oracle", "queries", "jobs", "pipeline", "gate", "judge", "queue", "rules", "stage", "ops", "base"),
    "app": ("http", "queries", "jobs", "pipeline", "gate", "judge", "queue", "rules", "stage", "ops", "base"),
}
# Parts of the judge that know no engine: every folder that may use the judge may link them.
JUDGE_PARTS = ("judge_memory", "judge_audit")
# Folders whose libraries beyond the one of the folder's own name are adapters of real servers and engines.
ADAPTER_FOLDERS = ("gate", "judge", "queue")
# The simulator runs one real engine, in process, above a file layer with faults. and gavel-oracle reads its files.
SIM_ADAPTERS = ("judge_sqlite", "judge_fault_vfs")
# folder: the external targets that its libraries may link. With the table above it also says what they bring along:
# base links nothing and the rules may use base alone, so that whoever links the rules links nothing else.
MAY_LINK = {
    "stage": ("Boost::headers", "Threads::Threads"),
    "ops": ("spdlog::spdlog", "prometheus-cpp::core"),
    "judge": ("SQLite::SQLite3", "Boost::json"),
    "pipeline": ("Boost::headers",),
    "queries": ("Boost::headers",),
    "http": ("Boost::headers", "Boost::json", "OpenSSL::Crypto"),
    "plain": ("Boost::json", "CLI11::CLI11"),
    "sim": ("Boost::headers", "Boost::context", "CLI11::CLI11"),
    "app": ("Boost::headers", "Boost::json", "CLI11::CLI11", "OpenSSL::SSL"),
}
# (file, folder): names of that folder are used although the table forbids to include it. An entry that is not needed is
# a finding, so that the list can only become shorter.
NAMES_EXCUSED = frozenset()
# (header, folder): gives names of that folder on as if they were its own; kept like the list above.
EXPORTS_EXCUSED = {
    ("src/sim/plain_words.h", "plain"),
}
# The rules are pure: these would bring in clocks, threads or input and output, directly or through a header of ours.
IMPURE = re.compile(r"<(?:thread|mutex|condition_variable|atomic|future|iostream|fstream|cstdio|filesystem|random"
                    r"|sys/\S+|unistd\.h|time\.h|ctime|sqlite3\.h|boost/(?:asio|beast)\S*)>")

_CALL = re.compile(r"\b(gavel_library|gavel_test|gavel_program)\s*\(([^()]*)\)")
_KEYWORDS = ("SOURCES", "DEPENDS", "LINKS", "LABEL", "TIMEOUT")


class Target:
    """One call of gavel_library, gavel_test or gavel_program."""

    def __init__(self, kind, folder, path, line, arguments):
        self.kind, self.folder, self.path, self.line = kind, folder, path, line
        self.name = arguments[0] if arguments else ""
        parts, key = {}, None
        for word in arguments[1:]:
            if word in _KEYWORDS:
                key = word
            else:
                parts.setdefault(key, []).append(word)
        self.sources = [posixpath.normpath(f"{path.rpartition('/')[0]}/{s}") for s in parts.get("SOURCES", [])]
        self.depends, self.links = parts.get("DEPENDS", []), parts.get("LINKS", [])

    def __str__(self):
        return f"{self.kind}({self.name})"


def targets_of(file):
    """The targets that a CMakeLists.txt declares."""
    text = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), file.text)
    for match in _CALL.finditer(text):
        yield Target(match[1], file.folder, file.path, file.line_at(text, match.start()), match[2].split())


def run(files):
    """Yields (check name, findings); `files` are those of house_rules.File, a finding is (path, line, message)."""
    lists = [f for f in files if f.name == "CMakeLists.txt" and (f.folder or f.path.startswith("tests/"))]
    targets = [t for f in lists for t in targets_of(f)]
    sources = [f for f in files if f.is_cpp and f.path.startswith(house_rules.FOLDERS_OF_LIBRARIES)]
    yield "include-table", list(_includes(sources))
    yield "used-names", list(_excused(_names(sources), NAMES_EXCUSED, sources))
    yield "exported-names", list(_excused(_exports(sources), EXPORTS_EXCUSED, sources))
    yield "pure-rules", list(_pure(sources))
    yield "link-table", [*_links(targets), *_hidden_links(lists)]
    yield "declared-table", list(_declared(targets))
    yield "declared-includes", list(_covered(sources, targets))
    yield "built-sources", list(_built(sources, targets))


def _project_includes(file):
    """(line, folder, name) of each include of a file of ours."""
    for line, name in file.includes:
        if name.startswith('"'):
            yield line, name.strip('"').partition("/")[0], name.strip('"')


def _includes(sources):
    for file in sources:
        if file.folder not in MAY_INCLUDE:
            yield file.path, 1, f"the folder '{file.folder}' is not in the table"
            continue
        for line, folder, name in _project_includes(file):
            if "/" not in name:
                yield file.path, line, f'"{name}" is written from src/, with its folder'
            elif folder != file.folder and folder not in MAY_INCLUDE[file.folder]:
                yield file.path, line, f"{file.folder} may not include {folder} ({name})"


def _names(sources):
    """A header in between may include what this folder may not; what is used by name is used all the same."""
    qualified = rf"(?<![\w:.>])(?:::)?(?:gavel::)?({'|'.join(MAY_INCLUDE)})::(?=\w)"
    for file in sources:
        for line, match in file.matches(qualified):
            if match[1] != file.folder and match[1] not in MAY_INCLUDE.get(file.folder, ()):
                yield file.path, line, match[1], f"{file.folder} may not include {match[1]}, and uses a name of it"


def _exports(sources):
    """`using judge::Reader;` in a header gives others a name of the judge that looks like one of this folder."""
    alias = rf"using\s+(?:\w+\s*=\s*)?(?:::)?(?:gavel::)?({'|'.join(MAY_INCLUDE)})::[\w:]+$"
    for file in sources:
        if not file.is_header or file.is_test:
            continue
        for statement in file.scan.statements:
            match = re.match(alias, statement.head) if statement.scope == "namespace" else None
            if match and match[1] != file.folder:
                yield file.path, statement.line, match[1], f"a header of {file.folder} gives on a name of {match[1]}"


def _excused(found, excused, sources):
    """The findings that are not on the list, and what is on the list of a tree that holds the file without being needed."""
    needed = set()
    for path, line, folder, message in found:
        needed.add((path, folder))
        if (path, folder) not in excused:
            yield path, line, message
    for path, folder in sorted(excused - needed):
        if any(file.path == path for file in sources):
            yield path, 1, f"needs no excuse for names of {folder} in tools/include_table.py: take it off the list"


def _pure(sources):
    by_name = {f.path.removeprefix("src/"): f for f in sources}
    impure = {}  # path: how it comes to something impure, or ""

    def way(file):
        """The first chain of includes that ends in something impure, as text."""
        if file.path not in impure:
            impure[file.path] = ""  # ends a cycle
            for _, name in file.includes:
                header = by_name.get(name.strip('"'))
                found = name if IMPURE.fullmatch(name) else header and way(header)
                if found:
                    impure[file.path] = found if found == name else f"{name.strip(chr(34))}, {found}"
                    break
        return impure[file.path]

    for file in sources:
        for line, name in file.includes if file.folder == "rules" and not file.is_test else ():
            header = by_name.get(name.strip('"'))
            if IMPURE.fullmatch(name):
                yield file.path, line, f"the rules are pure; {name} is not"
            elif header and header.folder != "rules" and way(header):
                yield file.path, line, f"the rules are pure; {name} brings in {way(header)}"


def _links(targets):
    """Tests and programs that are no product may link more; what they need is no burden to anybody."""
    for target in targets:
        for link in target.links if target.kind != "gavel_test" and target.folder else ():
            if link not in MAY_LINK.get(target.folder, ()):
                yield target.path, target.line, f"{target} links {link}, which the table does not allow {target.folder}"


def _hidden_links(lists):
    """What is linked past LINKS is seen by no table."""
    for file in lists:
        text = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), file.text)
        for line, _ in file.matches(r"\b(?:target_)?link_(?:libraries|options)\s*\(", text):
            yield file.path, line, "say it with LINKS of gavel_library, so that the table of links sees it"


def _declared(targets):
    folder_of = {t.name: t.folder for t in targets if t.kind == "gavel_library"}
    for target in targets:
        for name in target.depends:
            if name not in folder_of:
                yield target.path, target.line, f"{target} depends on {name}, which no folder declares"
                continue
            folder = folder_of[name]
            allowed = (target.folder, *MAY_INCLUDE.get(target.folder, ()))
            if target.folder and folder not in allowed:
                yield target.path, target.line, f"{target} depends on {name}, but {target.folder} may not use {folder}"
            elif not _may_link(target, name, folder):
                yield target.path, target.line, f"{target} links the adapter {name}; only app and tests may"


def _may_link(target, name, folder):
    """Adapters are chosen by the program and by contract tests; beside them only another adapter builds on one."""
    if folder not in ADAPTER_FOLDERS or name in (folder, *JUDGE_PARTS) or target.kind == "gavel_test" or target.folder == "app":
        return True
    if target.folder in ("sim", "plain"):
        return name in SIM_ADAPTERS
    return target.folder == folder and target.name != folder


def _owners(targets):
    """Maps a source without its ending to its targets; a header belongs to the target that compiles its source."""
    owners = {}
    for target in targets:
        for source in target.sources:
            owners.setdefault(source.rpartition(".")[0], []).append(target)
    return owners


def _is_shared_by_tests(path):
    """Whether a header is there for tests alone: each target that includes it declares what it needs."""
    return path.endswith("_test.h") or "/testing/" in path


def _covered(sources, targets):
    """Each include of another library must be declared by every target that compiles the including file."""
    libraries = {t.name: t for t in targets if t.kind == "gavel_library"}
    owners = _owners(targets)
    # A header without a source belongs to the first library that is declared beside it.
    rooms = {t.path.rpartition("/")[0]: t.name for t in reversed(targets)
             if t.kind == "gavel_library" and t.path.count("/") > 2}

    def library_of(path, folder):
        """The name of the library that holds a header: the one that compiles its source, else the folder's own."""
        compiled = [t for t in owners.get(path.rpartition(".")[0], []) if t.kind == "gavel_library"]
        if compiled:
            return compiled[0].name
        if _is_shared_by_tests(path):
            return ""  # no library holds it
        return rooms.get(path.rpartition("/")[0], folder)

    for file in sources:
        if file.folder not in {t.folder for t in targets}:
            continue  # a folder that is not built yet; built-sources speaks of it
        room = rooms.get(file.path.rpartition("/")[0], file.folder)
        default = [libraries[room]] if file.is_header and room in libraries else []
        if file.is_header and _is_shared_by_tests(file.path):
            quoted = f'"{file.path.removeprefix("src/")}"'
            users = [s for s in sources if quoted in (name for _, name in s.includes)]
            default = [t for user in users for t in owners.get(user.path.rpartition(".")[0], [])]
        for target in owners.get(file.path.rpartition(".")[0], default):
            for line, folder, name in _project_includes(file):
                wanted = library_of(f"src/{name}", folder)
                if wanted not in (target.name, *target.depends) and wanted in libraries:
                    yield file.path, line, f"{target} includes {name} without DEPENDS {wanted}"


def _built(sources, targets):
    """A source that no target compiles is dead, and a test among them never runs."""
    compiled = {s for t in targets for s in t.sources}
    for file in sources:
        if file.suffix == ".cc" and file.path not in compiled:
            yield file.path, 1, "no target of its folder's CMakeLists.txt compiles this file"
