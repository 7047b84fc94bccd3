"""Files that others own, and what is not a plain file: owner and mode stay, nothing is spun on, nothing is lost."""

from __future__ import annotations

import errno
import io
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.rules import Mode, Rules
from firmware.commands.deck import deck_command
from firmware.commands.games import games_command
from firmware.commands.replay import ReplayForm, replay_file
from firmware.commands.setup import setup_command, write
from firmware.config.reading import load as load_config
from firmware.config.values import Config, ConfigError
from firmware.files import disk as disk_module
from firmware.files.disk import DISK, Disk
from firmware.files.lock import DeviceBusyError, DeviceLock, LockError
from firmware.files.outside import write_outside
from firmware.files.whole import SaveError, backup_of, replace_file
from firmware.kept import deck, settings
from firmware.kept.journal import Journal
from tests.kept.test_deck import NEW, OLD, OLDER
from tests.support.disks import FailingDisk


@pytest.fixture
def strict_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


class Root:
    """Root, as far as files are concerned: who made what and whom it was given to is only written down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, owner: int) -> None:
        self.given: list[tuple[str, int, int]] = []
        real = os.stat

        def of_owner(path, *args, **named):
            found = real(path, *args, **named)
            if isinstance(path, Path) and path == folder:
                return os.stat_result([*found[:4], owner, owner + 1, *found[6:]])
            return found

        monkeypatch.setattr(disk_module.os, "geteuid", lambda: 0)
        monkeypatch.setattr(disk_module.os, "stat", of_owner)
        monkeypatch.setattr(disk_module.os, "fchown", self._fchown)

    def _fchown(self, handle: int, uid: int, gid: int) -> None:
        self.given.append((Path(os.readlink(f"/proc/self/fd/{handle}")).name, uid, gid))


# ---- owner and mode --------------------------------------------------------------------------


def test_what_root_makes_belongs_to_the_owner_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Root(monkeypatch, tmp_path, 4711)
    deck.save(tmp_path / "deck.txt", OLD)
    assert ("deck.txt.new", 4711, 4712) in root.given
    root.given.clear()
    journal = Journal(tmp_path / "games")
    journal.begin(Rules(mode=Mode.BOARD))
    journal.close()
    assert root.given == [("games", 4711, 4712)]  # and what is in it belongs to that folder's owner


@pytest.mark.usefixtures("strict_umask")
def test_mode_stays_under_a_strict_umask(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("sound = false\n")
    path.chmod(0o644)
    write(path, Config(language="el"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert stat.S_IMODE(backup_of(path).stat().st_mode) == 0o644
    assert load_config(path).language == "el"


def test_a_file_of_another_owner_is_not_taken_away_from_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deck.txt"
    deck.save(path, OLD)
    before = path.read_bytes()
    real = os.stat

    def of_another(name, *args, **named):
        found = real(name, *args, **named)
        return os.stat_result([*found[:4], found.st_uid + 1, *found[5:]]) if name == path else found

    def refuse(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(disk_module.os, "stat", of_another)
    monkeypatch.setattr(disk_module.os, "fchown", refuse)
    with pytest.raises(SaveError, match="it belongs to another user"):
        deck.save(path, NEW)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


# ---- links -----------------------------------------------------------------------------------


def test_a_link_of_ones_own_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "mine.txt", tmp_path / "deck.txt"
    deck.save(file, OLDER)
    link.symlink_to(file)
    deck.save(link, OLD)
    assert link.is_symlink() and deck.load(file) == (OLD, ()) and deck.load(backup_of(link)) == (OLDER, ())


@pytest.mark.parametrize("there", [Path("nowhere"), Path("deck.txt")], ids=["dangling", "to itself"])
def test_a_link_that_leads_nowhere_is_refused_and_stays(tmp_path: Path, there: Path) -> None:
    link = tmp_path / "deck.txt"
    link.symlink_to(tmp_path / there)
    with pytest.raises(SaveError, match="could not be saved"):
        deck.save(link, OLD)
    with pytest.raises(SaveError):
        write_outside(link, b"x")
    assert link.is_symlink() and not (tmp_path / "nowhere").exists()


def test_a_link_of_somebody_else_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("theirs")
    link = tmp_path / "deck.txt"
    link.symlink_to(tmp_path / "secret")
    monkeypatch.setattr(disk_module.os, "geteuid", lambda: link.lstat().st_uid + 1)
    real = os.lstat
    monkeypatch.setattr(
        disk_module.os, "lstat", lambda path: os.stat_result([*real(path)[:4], real(path).st_uid + 7, *real(path)[5:]])
    )
    with pytest.raises(SaveError, match="a link of somebody else"):
        replace_file(link, b"ours")
    assert (tmp_path / "secret").read_text() == "theirs"


# ---- the lock --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["nowhere", "deck.txt"])
def test_the_lock_follows_no_link_and_says_so(tmp_path: Path, target: str) -> None:
    (tmp_path / "deck.txt").write_text("my cards")
    lock = tmp_path / "table.lock"
    lock.symlink_to(tmp_path / target)
    with pytest.raises(LockError, match="is a link, which is not followed: remove it"):
        DeviceLock(lock, "tacocat run").__enter__()
    assert (tmp_path / "deck.txt").read_text() == "my cards" and not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_a_lock_that_is_no_plain_file_is_refused_at_once(tmp_path: Path, make) -> None:
    make(tmp_path / "table.lock")
    with pytest.raises(LockError, match="remove it, then start again"):
        DeviceLock(tmp_path / "table.lock", "tacocat run").__enter__()


def test_who_may_only_read_the_lock_shares_it_and_is_not_taken_for_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, real = tmp_path / "table.lock", os.open
    lock.write_text(f"tacocat check (process {2**22 + 1})\n")  # more than Linux gives a process (pid_max)

    def only_to_read(path, flags, *mode):
        if flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *mode)

    with monkeypatch.context() as patched:
        patched.setattr("firmware.files.lock.os.open", only_to_read)
        held = DeviceLock(lock, "tacocat run").__enter__()
    with pytest.raises(DeviceBusyError, match="in use by another program"):
        DeviceLock(lock, "tacocat play").__enter__()
    held.__exit__(None, None, None)


def test_the_text_of_a_lock_tells_a_terminal_nothing_to_do(tmp_path: Path) -> None:
    with DeviceLock(tmp_path / "table.lock", "tacocat \x1b[2J\x9brun"), pytest.raises(DeviceBusyError) as refusal:
        DeviceLock(tmp_path / "table.lock", "tacocat play").__enter__()
    assert "\x1b" not in str(refusal.value) and "[2J" in str(refusal.value)


# ---- what is not a plain file ----------------------------------------------------------------


def odd_files(folder: Path) -> Iterator[Path]:
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "socket"))
    (folder / "nowhere").symlink_to(folder / "gone")
    (folder / "round").symlink_to(folder / "round")
    yield from (folder / name for name in ("pipe", "folder", "socket", "nowhere", "round"))
    yield Path("/dev/null")


def test_every_reader_refuses_what_is_no_file_at_once_and_in_words(tmp_path: Path) -> None:
    for number, path in enumerate(odd_files(tmp_path)):
        out, err = io.StringIO(), io.StringIO()
        assert replay_file(str(path), ReplayForm.STORY, None, out, err) == 2
        state = tmp_path / str(number)
        state.mkdir()
        assert deck_command(state / "deck.txt", "import", path, out, err) == 2
        assert str(path) in err.getvalue() and "Traceback" not in err.getvalue()
        assert len(err.getvalue().splitlines()) == 2 and not list(state.iterdir())
        with pytest.raises(ConfigError, match="no way to read it"):
            load_config(path)


@pytest.mark.parametrize("name", [deck, settings], ids=["deck", "settings"])
def test_in_the_place_of_a_kept_file_they_are_said_and_left(tmp_path: Path, name) -> None:
    odd = tmp_path / "odd"
    odd.mkdir()
    for number, path in enumerate(odd_files(odd)):
        if path.name == "null":
            continue
        state = tmp_path / str(number)
        state.mkdir()
        file = state / ("deck.txt" if name is deck else settings.FILE_NAME)
        path.rename(file)
        found = deck.load(file) if name is deck else settings.load(state, Config())
        (notice,) = found[1]
        assert (notice.left_alone and file.is_symlink()) or os.path.lexists(file)
        with pytest.raises(SaveError):
            deck.save(file, OLD) if name is deck else settings.save(state, settings.Settings("el"))
        assert [path.name for path in state.iterdir()] == [file.name]


def test_an_export_to_a_device_is_written_into_it(tmp_path: Path) -> None:
    before = os.stat("/dev/null")
    deck.save(tmp_path / "deck.txt", OLD)
    err = io.StringIO()
    assert deck_command(tmp_path / "deck.txt", "export", Path("/dev/null"), io.StringIO(), err) == 0
    assert os.stat("/dev/null").st_rdev == before.st_rdev and stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_by_any_name_is_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    deck.save(tmp_path / "deck.txt", OLD)
    out = io.StringIO()
    assert deck_command(tmp_path / "deck.txt", "export", Path(name), out, io.StringIO()) == 0
    assert deck.parse_tags(out.getvalue()) == OLD


def test_a_deck_is_imported_from_standard_input(tmp_path: Path) -> None:
    stdin, out = io.BytesIO(deck.format_tags(OLD).encode()), io.StringIO()
    assert deck_command(tmp_path / "deck.txt", "import", Path("-"), out, io.StringIO(), stdin=stdin) == 0
    assert deck.load(tmp_path / "deck.txt") == (OLD, ())


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("pipe", "could not be written: it is a pipe that nobody reads from"),
        ("folder", "is a folder: name a file to write to"),
        ("socket", "is a socket: name a file to write to"),
        ("nowhere", "could not be written: it is a link to "),
    ],
)
def test_an_export_to_what_is_no_file_is_refused_at_once(tmp_path: Path, odd: str, said: str) -> None:
    list(odd_files(tmp_path))
    with pytest.raises(SaveError, match=f"{odd} {said}"):
        write_outside(tmp_path / odd, b"x")


# ---- what a person has written ---------------------------------------------------------------


def test_an_export_overwrites_nothing_unasked(tmp_path: Path) -> None:
    state, mine, err = tmp_path / "state", tmp_path / "mine.txt", io.StringIO()
    deck.save(state / "deck.txt", OLD)
    journal = Journal(state / "games")
    journal.begin(Rules(mode=Mode.BOARD))
    journal.close()
    mine.write_text("my own words")
    assert games_command(state / "games", "export", 1, mine, io.StringIO(), err) == 1
    assert deck_command(state / "deck.txt", "export", mine, io.StringIO(), err) == 1
    assert mine.read_text() == "my own words" and err.getvalue().count("--force") == 2
    assert games_command(state / "games", "export", 1, mine, io.StringIO(), err, force=True) == 0
    assert games_command(state / "games", "export", 1, mine, io.StringIO(), err) == 0, "it holds the same already"
    assert mine.read_bytes() == (state / "games" / "game-0001.taco").read_bytes()


def test_no_second_setup_costs_the_first_ones_backup(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("# mine\nsound = false\n")
    for language in ("el", "ca", "fy"):
        write(path, Config(language=language))
    texts = [file.read_text() for file in tmp_path.iterdir()]
    assert "# mine\nsound = false\n" in texts and len(texts) == 4


def test_setup_leaves_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "table.toml")
    said: list[str] = []
    assert setup_command(tmp_path / "table.toml", lambda prompt: "", said.append) == 1
    assert len(said) == 1 and "is a pipe, and no file that a configuration could be written to" in said[0]
    assert stat.S_ISFIFO((tmp_path / "table.toml").stat().st_mode)


# ---- folders ---------------------------------------------------------------------------------


class FolderSync(Disk):
    """A disk whose folders answer a sync with this errno."""

    def __init__(self, code: int) -> None:
        self.code, self.folders = code, set[int]()

    def open_folder(self, path: Path) -> int:
        self.folders.add(handle := super().open_folder(path))
        return handle

    def close(self, handle: int) -> None:
        self.folders.discard(handle)
        super().close(handle)

    def fsync(self, handle: int) -> None:
        if handle in self.folders:
            raise OSError(self.code, os.strerror(self.code))
        super().fsync(handle)


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_folder_that_cannot_be_synced_is_no_disk_that_fails(tmp_path: Path, code: int) -> None:
    disk = FolderSync(code)
    assert deck.save(tmp_path / "deck.txt", OLD, disk) == ()
    journal = Journal(tmp_path / "games", disk)
    journal.begin(Rules(mode=Mode.BOARD))
    assert journal.kept
    journal.close()


def test_a_folder_whose_sync_fails_is_a_disk_that_fails(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="Input/output error"):
        deck.save(tmp_path / "deck.txt", OLD, FolderSync(errno.EIO))


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_that_cannot_be_synced_is_a_disk_that_fails(tmp_path: Path, code: int) -> None:
    disk = FailingDisk(code=code)
    disk.fail_next("fsync")
    with pytest.raises(SaveError, match="made to fail"):
        deck.save(tmp_path / "deck.txt", OLD, disk)


def test_a_folder_of_games_is_for_owner_and_group_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        DISK.make_folder(tmp_path / "state" / "games")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "state" / "games").stat().st_mode) == 0o750
