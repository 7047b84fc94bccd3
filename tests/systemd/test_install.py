"""Installing and removing, against a folder that stands for / and commands that only write down what they were told.

The stubs keep the little that the installer asks them for again (users, groups, the venv's Python), so that a second
run sees what a first one has done.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.places import ROOT

SOURCE = ROOT
INSTALLER = SOURCE / "systemd" / "install.sh"
CONFIG = "[pi5]\ndtparam=audio=on\n#dtparam=i2c_arm=on\n[cm4]\notg_mode=1\n"
RATE = "dtparam=i2c_arm_baudrate=400000"

STUB = r"""#!/bin/sh
name=${0##*/}
echo "$name $*" >> "$FAKE/calls"
case "$name $*" in *"$FAIL_AT"*) [ -z "$FAIL_AT" ] || { echo "no $FAIL_AT today" >&2; exit 7; } ;; esac
case $name in
apt-cache) [ -z "$FAKE_DEBIAN" ] || exit 100 ;;
id) [ "$1" = -u ] && echo "${FAKE_UID:-0}" ;;
getent) grep -qx "$1 $2" "$FAKE/names" 2>/dev/null || exit 2 ;;
groupadd) for last; do :; done; echo "group $last" >> "$FAKE/names" ;;
useradd) for last; do :; done; echo "passwd $last" >> "$FAKE/names" ;;
raspi-config) mkdir -p "$TACOCAT_ROOT/dev"; : > "$TACOCAT_ROOT/dev/$3" ;;
python3|python)
    case "$*" in
    *"version_info[:2]"*) echo "${FAKE_PYTHON:-3.11}" ;;
    *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
    *"-r "*) for last; do :; done; cp "$last" "$FAKE/locked" ;;
    *--force-reinstall*) for last; do :; done; ls "$last" > "$FAKE/built" ;;
    esac ;;
esac
exit 0
"""
STUBS = (
    "apt-get",
    "apt-cache",
    "raspi-config",
    "id",
    "getent",
    "groupadd",
    "useradd",
    "usermod",
    "systemctl",
    "udevadm",
    "python3",
    "runuser",
)


class Machine:
    """A Raspberry Pi of folders and stubs."""

    def __init__(self, folder: Path, *, raspi_config: bool = True) -> None:
        self.root, self.fake, commands = folder / "root", folder / "fake", folder / "bin"
        for made in (self.root, self.fake, commands):
            made.mkdir()
        for name in STUBS:
            if name != "raspi-config" or raspi_config:
                (commands / name).write_text(STUB)
                (commands / name).chmod(0o755)
        for name in (
            "sh",
            "env",
            "sed",
            "grep",
            "cat",
            "cp",
            "mv",
            "rm",
            "mkdir",
            "mktemp",
            "chmod",
            "dirname",
            "basename",
            "sync",
            "tr",
            "ls",
        ):
            (commands / name).symlink_to(_which(name))
        self.commands = commands
        self.boot_config.parent.mkdir(parents=True)
        self.boot_config.write_text(CONFIG)
        (self.root / "run/udev").mkdir(parents=True)
        (self.root / "run/udev/control").touch()
        (self.root / "run/systemd/system").mkdir(parents=True)

    @property
    def boot_config(self) -> Path:
        return self.root / "boot/firmware/config.txt"

    def run(self, *arguments: str, fail_at: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        (self.fake / "calls").write_text("")
        return subprocess.run(
            ["sh", str(INSTALLER), *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={
                "PATH": str(self.commands),
                "TACOCAT_ROOT": str(self.root),
                "FAKE": str(self.fake),
                "FAIL_AT": fail_at,
                **environ,
            },
        )

    def install(self, **environ: str) -> str:
        done = self.run("install", **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def calls(self, name: str) -> list[str]:
        return [line for line in (self.fake / "calls").read_text().splitlines() if line.split()[0] == name]

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.root)): path.read_bytes() for path in self.root.rglob("*") if path.is_file()}


def _which(name: str) -> Path:
    for folder in os.defpath.split(":"):
        if (Path(folder) / name).exists():
            return Path(folder) / name
    raise AssertionError(f"{name} is in none of the folders of {os.defpath}")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_installation_puts_command_service_rule_and_configuration_in_place(machine: Machine) -> None:
    machine.install()
    files = machine.files()
    for name in ("tacocat.service", "tacocat-off.path", "tacocat-off.service"):
        assert files[f"etc/systemd/system/{name}"] == (SOURCE / "systemd" / name).read_bytes()
    assert files["etc/udev/rules.d/99-tacocat.rules"] == (SOURCE / "systemd/99-tacocat.rules").read_bytes()
    assert files["etc/tacocat/table.toml"] == (SOURCE / "table.example.toml").read_bytes()
    assert os.access(machine.root / "usr/local/bin/tacocat", os.X_OK)


def test_an_installation_gets_what_apt_has_and_switches_spi_and_i2c_on(machine: Machine) -> None:
    machine.install()
    assert machine.calls("apt-get")[-1].endswith("install -q -y python3 python3-venv python3-spidev python3-lgpio")
    assert machine.calls("raspi-config") == ["raspi-config nonint do_spi 0", "raspi-config nonint do_i2c 0"]


def test_i2c_is_set_to_400_khz_for_every_pi_whatever_section_the_file_ends_with(machine: Machine) -> None:
    machine.install()
    assert machine.boot_config.read_text() == f"{CONFIG}\n[all]\n# for the Tacocat Table\n{RATE}\n"
    assert (machine.boot_config.parent / "config.txt.before-tacocat").read_text() == CONFIG


def test_another_i2c_rate_is_replaced(machine: Machine) -> None:
    machine.boot_config.write_text(f"dtparam=i2c_arm_baudrate=100000\n{CONFIG}")
    machine.install()
    assert "100000" not in machine.boot_config.read_text()
    assert machine.boot_config.read_text().count(RATE) == 1


def test_the_old_place_of_the_boot_configuration_is_used_where_there_is_no_new_one(machine: Machine) -> None:
    old = machine.boot_config.parents[1] / "config.txt"
    machine.boot_config.rename(old)
    machine.install()
    assert RATE in old.read_text()


def test_a_note_that_the_boot_configuration_has_moved_is_not_taken_for_it(machine: Machine) -> None:
    note = machine.boot_config.parents[1] / "config.txt"
    machine.boot_config.unlink()
    note.write_text("DO NOT EDIT THIS FILE\nThe file you are looking for has moved to /boot/firmware/config.txt\n")
    assert "not a Raspberry Pi as it was expected" in machine.install()
    assert RATE not in note.read_text()


def test_without_raspi_config_the_interfaces_are_written_into_the_boot_configuration(tmp_path: Path) -> None:
    machine = Machine(tmp_path, raspi_config=False)
    machine.install()
    machine.install()
    lines = machine.boot_config.read_text().splitlines()
    assert [lines.count(line) for line in ("dtparam=spi=on", "dtparam=i2c_arm=on", RATE)] == [1, 1, 1]
    assert machine.files()["etc/modules-load.d/tacocat.conf"] == b"i2c-dev\n"


def test_the_user_and_the_groups_that_are_missing_are_made(machine: Machine) -> None:
    (machine.fake / "names").write_text("group dialout\ngroup i2c\ngroup video\n")
    machine.install()
    assert [call.split()[-1] for call in machine.calls("groupadd")] == ["spi", "gpio"]
    (made,) = machine.calls("useradd")
    assert "--system" in made and "/usr/sbin/nologin" in made
    assert machine.calls("usermod") == ["usermod --append --groups spi,i2c,gpio,dialout,video tacocat"]


def test_who_installs_with_sudo_may_read_games_afterwards(machine: Machine) -> None:
    machine.install(SUDO_USER="robin")
    assert machine.calls("usermod")[-1] == "usermod --append --groups tacocat,spi,i2c,gpio,dialout,video robin"


def test_the_device_gets_the_locked_releases_but_not_those_of_the_tests(machine: Machine) -> None:
    machine.install()
    locked = (machine.fake / "locked").read_text()
    assert "\ngpiozero==" in locked and "\nsetuptools==" in locked
    for tool in ("pytest", "mypy", "ruff", "hypothesis", "playwright"):
        assert f"\n{tool}==" in (SOURCE / "requirements.txt").read_text()
        assert tool not in locked


def test_where_apt_has_no_lgpio_it_comes_by_pip_in_one_known_release(machine: Machine) -> None:
    assert "no python3-lgpio" in machine.install(FAKE_DEBIAN="yes")
    assert "python3-lgpio" not in machine.calls("apt-get")[-1]
    assert (machine.fake / "locked").read_text().splitlines()[-1] == "lgpio==0.2.2.0"
    machine.install()
    assert "lgpio==" not in (machine.fake / "locked").read_text()


def test_the_program_is_built_from_a_copy_so_that_the_checkout_stays_as_it_was(machine: Machine) -> None:
    before = sorted(path.name for path in SOURCE.iterdir())
    machine.install()
    assert (machine.fake / "built").read_text().split() == [
        "LICENSE",
        "README.md",
        "engine",
        "firmware",
        "hardware",
        "pyproject.toml",
    ]
    assert sorted(path.name for path in SOURCE.iterdir()) == before


def test_the_service_is_enabled_and_started_last(machine: Machine) -> None:
    machine.install()
    assert machine.calls("systemctl")[-3:] == [
        "systemctl enable tacocat.service tacocat-off.path",
        "systemctl daemon-reload",
        "systemctl restart tacocat-off.path tacocat.service",
    ]


def test_in_an_image_that_is_being_made_the_service_is_only_enabled(machine: Machine) -> None:
    (machine.root / "run/systemd/system").rmdir()
    assert "will start with the machine" in machine.install()
    assert machine.calls("systemctl")[-1] == "systemctl enable tacocat.service tacocat-off.path"
    assert machine.run("uninstall").returncode == 0
    assert "--now" not in "".join(machine.calls("systemctl"))


def test_devices_that_are_there_already_are_given_the_new_rule(machine: Machine) -> None:
    machine.install()
    reload, trigger = machine.calls("udevadm")
    assert reload == "udevadm control --reload"
    assert "--action=change --subsystem-match=tty" in trigger


def test_where_udev_does_not_run_it_is_left_alone(machine: Machine) -> None:
    (machine.root / "run/udev/control").unlink()
    assert "udev does not run here" in machine.install()
    assert machine.calls("udevadm") == []


def test_a_second_installation_changes_nothing(machine: Machine) -> None:
    machine.install()
    files = machine.files()
    machine.install()
    assert machine.files() == files
    assert machine.calls("useradd") == machine.calls("groupadd") == []
    assert not [call for call in machine.calls("python3") if "venv" in call]


def test_an_upgrade_keeps_configuration_decks_and_games(machine: Machine) -> None:
    machine.install()
    kept = {
        "etc/tacocat/table.toml": b"sound = false\n",
        "var/lib/tacocat/games/1.taco": b"mode board\n",
        "var/lib/tacocat/deck.txt": b"deck",
    }
    for name, contents in kept.items():
        (machine.root / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.root / name).write_bytes(contents)
    machine.install()
    assert kept.items() <= machine.files().items()


def test_the_services_own_user_tries_whether_the_program_can_be_started(machine: Machine) -> None:
    machine.install()
    (look,) = machine.calls("runuser")
    assert look.startswith("runuser -u tacocat -- env -i PATH=") and " -I -c import lgpio, spidev, " in look


def test_a_new_release_of_python_makes_the_environment_anew(machine: Machine) -> None:
    machine.install()
    (machine.root / "opt/tacocat/bin/python").write_text("#!/bin/sh\necho 3.11\n")
    machine.install(FAKE_PYTHON="3.13")
    assert [call for call in machine.calls("python3") if "-m venv --clear --system-site-packages" in call]


@pytest.mark.parametrize(
    ("fail_at", "step"),
    [
        ("apt-get update", "get packages by apt"),
        ("apt-get install", "get packages by apt"),
        ("do_spi", "switch on SPI and I2C"),
        ("do_i2c", "switch on SPI and I2C"),
        ("groupadd", "make the user tacocat"),
        ("useradd", "make the user tacocat"),
        ("usermod", "make the user tacocat"),
        ("-m venv", "make the Python environment in /opt/tacocat"),
        ("requirements.txt", "install the program"),
        ("--force-reinstall", "install the program"),
        ("import lgpio", "install the program"),
        ("udevadm control", "start the service"),
        ("systemctl enable", "start the service"),
        ("systemctl restart", "start the service"),
    ],
)
def test_a_step_that_fails_is_named_and_is_the_last_one(fail_at: str, step: str, machine: Machine) -> None:
    done = machine.run("install", fail_at=fail_at)
    assert done.returncode == 7
    assert f"Stopped at the step '{step}'" in done.stderr
    assert f"no {fail_at} today" in done.stderr  # the command's own words are not hidden
    assert fail_at in (machine.fake / "calls").read_text().splitlines()[-1]
    assert "is installed" not in done.stdout


def test_after_a_failure_the_same_command_finishes_the_work(machine: Machine) -> None:
    assert machine.run("install", fail_at="--force-reinstall").returncode != 0
    assert "is installed" in machine.install()


def test_who_is_not_root_is_told_the_command(machine: Machine) -> None:
    done = machine.run("install", FAKE_UID="1000")
    assert done.returncode == 1
    assert "sudo make install" in done.stderr
    assert machine.files().keys() == {"boot/firmware/config.txt", "run/udev/control"}


def test_a_reboot_is_asked_for_only_if_something_of_the_boot_has_changed(machine: Machine) -> None:
    assert "sudo reboot" in machine.install()
    for name in ("spidev0.0", "i2c-1"):
        (machine.root / "dev" / name).touch()
    assert "sudo reboot" not in machine.install()


def test_a_dry_run_says_everything_and_does_nothing(machine: Machine) -> None:
    before = machine.files()
    done = machine.run("--dry-run", "install", FAKE_UID="1000")
    assert done.returncode == 0, done.stderr
    assert machine.files() == before
    for name in ("apt-get", "raspi-config", "useradd", "usermod", "systemctl", "udevadm"):
        assert f"would run: {name}" in done.stdout or f" {name} " in done.stdout
        assert machine.calls(name) == []


def test_removing_leaves_decks_games_and_configuration(machine: Machine) -> None:
    machine.install()
    game = machine.root / "var/lib/tacocat/games/1.taco"
    game.parent.mkdir(parents=True)
    game.write_text("mode board\n")
    done = machine.run("uninstall")
    assert done.returncode == 0, done.stderr
    left = machine.files()
    assert "var/lib/tacocat/games/1.taco" in left and "etc/tacocat/table.toml" in left
    assert not [name for name in left if name.startswith(("opt/", "usr/", "etc/systemd/", "etc/udev/"))]
    assert "systemctl disable --now tacocat.service" in machine.calls("systemctl")
    assert "/var/lib/tacocat" in done.stdout


def test_removing_twice_is_allowed(machine: Machine) -> None:
    machine.install()
    machine.run("uninstall")
    assert machine.run("uninstall").returncode == 0


def test_the_command_uses_the_tables_own_folder_but_not_for_the_virtual_table(machine: Machine) -> None:
    machine.install()
    program = machine.root / "shown"
    program.write_text('#!/bin/sh\necho "${STATE_DIRECTORY:-none} $*"\n')
    program.chmod(0o755)
    command = machine.root / "usr/local/bin/tacocat"
    command.write_text(command.read_text().replace("/opt/tacocat/bin/tacocat", str(program)))

    def said(*arguments: str) -> str:
        return subprocess.run(
            [command, *arguments], capture_output=True, text=True, check=True, env={"PATH": os.defpath}
        ).stdout

    assert said("games", "a b") == "/var/lib/tacocat games a b\n"
    assert said("play", "--virtual") == "none play --virtual\n"


@pytest.mark.parametrize("arguments", [(), ("instal",), ("--dry-run",)])
def test_other_words_are_answered_with_the_usage(arguments: tuple[str, ...], machine: Machine) -> None:
    done = machine.run(*arguments)
    assert done.returncode == 1
    assert "usage" in done.stderr
