"""Mutants by chance: where a source is changed, which tests are run, what is said of them, and the equal ones."""

import ast
from pathlib import Path

import pytest

from tests.mutants import chance
from tests.mutants.chance import Equal, MutantError, all_mutants, drawn, judge_room, load_equal, sources_of
from tests.mutants.changes import changes
from tests.support.places import ROOT

EQUAL = load_equal(ROOT / "tests" / "mutants" / "equal.toml")


def made(source: str) -> list[str]:
    """Each change to a source, as the source is then."""
    return [change.apply(source) for change in changes(source)]


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("a < b", ["a <= b", "a > b"]),
        ("a <= b", ["a < b", "a >= b"]),
        ("a == b", ["a != b"]),
        ("a is  not b", ["a is b"]),
        ("a in b", ["a not in b"]),
        ("a < b <= c", ["a <= b <= c", "a > b <= c", "a < b < c", "a < b >= c"]),
        ("(a) < (b)", ["(a) <= (b)", "(a) > (b)"]),
        ("a and b and c", ["a or b and c", "a and b or c"]),
        ("(a  # and\n or b)", ["(a  # and\n and b)"]),
        ("not a", ["a"]),
        ("not(a)", ["(a)"]),
        ("f(7)", ["f(6)", "f(8)"]),
        ("f(0)", ["f(-1)", "f(1)"]),
        ("f(0x10)", ["f(0x0F)", "f(0x11)"]),
        ("a if b else c", ["a if False else c", "a if True else c"]),
        ("[a for a in b if c]", ["[a for a in b if False]", "[a for a in b if True]"]),
        ("if a: b", ["if False: b", "if True: b"]),
        ("while a: b", ["while False: b", "while True: b"]),
        ("match a:\n case b if c: d", ["match a:\n case b if False: d", "match a:\n case b if True: d"]),
        ("é = 'ü' + f(a) < b", ["é = 'ü' + f(a) <= b", "é = 'ü' + f(a) > b"]),
        # nothing to change: texts, annotations, what an f-string holds (its place is not known to Python 3.11)
        ("a: Literal[1] = b", []),
        ("def f(a: T[1]) -> T[2]: pass", []),
        ("f'{a < 1}'", []),
        ("True", []),
        ("if True: a", ["if False: a"]),
        ("if TYPE_CHECKING: a", ["if True: a"]),
    ],
)
def test_a_source_is_changed_at_one_place_at_a_time(source, mutants):
    assert sorted(made(source)) == sorted(mutants)


@pytest.mark.parametrize("room", ["engine", "hardware", "firmware/table", "firmware/pico"])
def test_every_mutant_of_a_room_is_a_program_and_differs_in_what_is_shown(room):
    for file in sources_of(ROOT, room)[:4]:
        source = (ROOT / file).read_text(encoding="utf-8")
        for mutant in all_mutants(ROOT, file)[::20]:
            assert ast.dump(ast.parse(mutant.change.apply(source))) != ast.dump(ast.parse(source))
            assert mutant.before != mutant.after
            assert mutant.change.lines[0] <= mutant.line <= mutant.change.lines[1]


def test_a_seed_draws_the_same_mutants_again_and_never_two_at_one_place():
    mutants = all_mutants(ROOT, "engine/board.py")
    assert drawn(mutants, 12, seed=7) == drawn(mutants, 12, seed=7) != drawn(mutants, 12, seed=8)
    few = drawn(mutants, 12, seed=7)
    assert len({(mutant.change.start, mutant.change.end) for mutant in few}) == len(few) == 12
    assert drawn(mutants, 10_000, seed=7) == mutants


def test_a_room_is_a_folder_without_those_in_it_or_one_file():
    assert "hardware/rc522.py" in sources_of(ROOT, "hardware")
    assert not any("twins" in file for file in sources_of(ROOT, "hardware"))
    assert sources_of(ROOT, "engine/board.py") == ["engine/board.py"]
    assert chance.tests_of(ROOT, "engine/board.py") == ("tests/engine",) == chance.tests_of(ROOT, "engine")
    with pytest.raises(MutantError, match="attic: no room with sources"):
        sources_of(ROOT, "attic")
    with pytest.raises(MutantError, match="firmware/attic: its tests are expected in tests/attic"):
        chance.tests_of(ROOT, "firmware/attic")


@pytest.mark.parametrize("room", [path.parent for path in sorted(ROOT.glob("firmware/**/__init__.py"))])
def test_every_room_of_the_firmware_has_tests(room):
    assert chance.tests_of(ROOT, str(room.relative_to(ROOT)))


def test_every_equal_mutant_is_still_a_mutant_of_the_source():
    for entry in EQUAL:
        assert any(entry.names(mutant) for mutant in all_mutants(ROOT, entry.file)), f"no such mutant: {entry}"


def test_an_equal_mutant_without_a_reason_is_refused_with_its_place(tmp_path):
    (tmp_path / "equal.toml").write_text("[[equal]]\nfile = 'a'\nbefore = 'b'\nafter = 'c'\nwhy = ''\n")
    with pytest.raises(MutantError, match=r"equal\.toml, entry 1: expected are file, before, after and why"):
        load_equal(tmp_path / "equal.toml")


# ---- a small room ---------------------------------------------------------------------------

FILES = {
    "engine/__init__.py": "",
    "engine/full.py": """
LIMIT = 5

def is_full(count):
    return count >= LIMIT

def room(count):
    return LIMIT - count if count < LIMIT else 0
""",
    "tests/engine/test_full.py": """
from engine.full import is_full, room

def test_full():
    assert is_full(9) and not is_full(3)

def test_room():
    assert room(2) == 3 and room(9) == 0
""",
}
EQUAL_LINE = "return LIMIT - count if count < LIMIT else 0"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    # What judges runs from the copy: its own plugin lies there too.
    own = {f"tests/mutants/{name}": (ROOT / "tests" / "mutants" / name).read_text() for name in ("touched.py",)}
    for name, text in (FILES | own).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_survivors_killed_and_equal_mutants_are_told_apart_and_the_tree_is_as_it_was(tree):
    wanted = {
        "return count > LIMIT": ("SURVIVED", "1 tests run this line"),
        "return count <= LIMIT": ("killed", "test_full"),
        EQUAL_LINE.replace("<", "<="): ("equal", "5 - 5 is 0 too"),
    }
    mutants = [mutant for mutant in all_mutants(tree, "engine/full.py") if mutant.after in wanted]
    files = [str(path.relative_to(tree)) for path in tree.rglob("*.py")]
    equal = [Equal("engine/full.py", EQUAL_LINE, EQUAL_LINE.replace("<", "<="), "5 - 5 is 0 too")]
    outcomes = judge_room(tree, files, mutants, ("tests/engine",), equal)
    found = {m.after: (outcome.word, outcome.detail) for m, outcome in zip(mutants, outcomes, strict=True)}
    assert found == wanted
    assert (tree / "engine/full.py").read_text() == FILES["engine/full.py"]
