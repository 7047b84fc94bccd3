"""The digital self-test that an MFRC522 has in itself. Section numbers are those of the datasheet rev. 3.9."""

from __future__ import annotations

from hardware.rc522_chip import READY_READS, ReaderChip, read_address

_MEM = 0x01  # the command that moves 25 bytes of the FIFO to the internal buffer (10.3.1.2)
_SELF_TEST = 0x09  # in AutoTestReg: CalcCRC is the self-test (16.1.1)
_RESULT_BYTES = 64

# What the FIFO holds afterwards (16.1.1); other versions are of other makers, who give no table.
_RESULTS = {
    0x91: bytes.fromhex(
        "00c637d532b7575cc2d87c4dd970c77310e6d2aa5ea13e5a14af3061c970db2e"
        "642272b5bd65f4ec22bcd37235cdaa411fa7f35314de7e02d90fb55e251d2979"
    ),
    0x92: bytes.fromhex(
        "00eb66ba57bf2395d0e30d3d27895cde9d3ba700215b8982513aeb020ca50049"
        "7c844db3ccd21b815d4876d5716121a986968338cf9d5b6ddc15ba3e7d953b2f"
    ),
}


def self_test(chip: ReaderChip) -> bool | None:
    """Whether the chip passes its own test; None if it is of a maker that gives no result to compare.

    The chip is set up again afterwards, as after a start. Raises ReaderError or OSError if it does not answer.
    """
    chip.MFRC522_Reset()
    version = chip.wait_until_ready()
    transfer = chip.spi.xfer2
    transfer([chip.FIFOLevelReg << 1, 0x80])  # FlushBuffer
    transfer([chip.FIFODataReg << 1, *bytes(25)])
    transfer([chip.CommandReg << 1, _MEM])  # the internal buffer is cleared
    transfer([chip.AutoTestReg << 1, _SELF_TEST])
    transfer([chip.FIFODataReg << 1, 0x00])
    transfer([chip.CommandReg << 1, chip.PCD_CALCCRC])
    for _ in range(READY_READS):
        if transfer([read_address(chip.FIFOLevelReg), 0])[1] == _RESULT_BYTES:
            break
    result = bytes(transfer([read_address(chip.FIFODataReg)] * _RESULT_BYTES + [0])[1:])
    chip.Write_MFRC522(chip.AutoTestReg, 0x00)
    chip.MFRC522_Init()
    return None if version not in _RESULTS else result == _RESULTS[version]
