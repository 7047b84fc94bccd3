"""Rounds solved exactly, from the first attack on, when both hands are known: one hand of ours against many at once.

A hand is a tuple of ranks, ascending; only ranks matter here, copies do not. What is left of our hand is a mask of
its places. What is left of the other hands is a number with a bit for every mask of places of every hand: one
operation on such a number looks at all of them. Removing the card at place i from every rest of every hand is
then a shift by 2**i and an `and`. So solving thirty hands costs little more than solving one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product

from engine.cards import MAX_RANK

Hand = tuple[int, ...]
Attack = tuple[int, ...]  # places of our hand, ascending
MORE = 99  # higher than every rank


class Solver:
    """Our hand `mine` against the hands `others`, all of one size, which is at most ours.

    `ties[n]` says whether a tie against others[n] counts as won; else it counts as lost. Giving half of the hands
    each makes a tie half a win, on average, for the price of one solution.

    `attacking(rest)` and `defending(rest)` are numbers with a bit for each case that we win with the mask `rest`
    of our hand left, attacking or defending, against as many cards of the other; `won(bits)` reads them for the other
    hands as a whole, which only makes sense for rests of their size.
    """

    def __init__(self, mine: Hand, others: Sequence[Hand], ties: Sequence[bool]) -> None:
        self.mine = mine
        self.others = others
        self.size = len(others[0])
        self.block = 1 << self.size  # bits of one other hand
        ones = (1 << self.block) - 1
        self._blocks = [ones << (n * self.block) for n in range(len(others))]
        self._all = (1 << (self.block * len(others))) - 1
        self._every = self._all // ones  # the lowest bit of every block
        self.whole = self._every << (self.block - 1)  # the bits of the whole hands
        self._tied = sum(block for block, tie in zip(self._blocks, ties, strict=True) if tie)
        self._attacking: dict[int, int] = {}
        self._defending: dict[int, int] = {}
        self._met: dict[tuple[int, Hand, bool], int] = {}
        self._lost: dict[tuple[int, Hand], int] = {}
        self._own_odd: dict[Hand, list[tuple[int, int]]] = {}
        self._up = [next((rank for rank in mine if rank >= least), MORE) for least in range(MAX_RANK + 1)]
        self._places = _places_by_mask(len(mine))
        self._tell_others_apart()

    # ---- what the others hold -------------------------------------------------------------

    def _tell_others_apart(self) -> None:
        """Bits of the rests that have a card of some rank at some place, or have it as their lowest."""
        size = self.size
        self._has = [self._pattern(partial(_has_place, i)) for i in range(size)]
        self._lowest = [self._pattern(partial(_is_lowest, i)) for i in range(size)]
        equal: list[dict[int, int]] = [{} for _ in range(size)]  # place -> rank -> blocks
        for block, hand in zip(self._blocks, self.others, strict=True):
            for i, rank in enumerate(hand):
                equal[i][rank] = equal[i].get(rank, 0) | block
        self._equal = equal
        self._reach: dict[int, list[tuple[int, int]]] = {}
        self._below: dict[int, list[tuple[int, int]]] = {}
        self._any_lowest = [(1 << i, self._lowest[i]) for i in range(size)]
        self._exactly = self._find_ranks()
        self._most_alike, self._longest = self._find_longest()
        self._odd_sacrifices: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def _pattern(self, wanted: Callable[[int], bool]) -> int:
        bits = sum(1 << rest for rest in range(self.block) if wanted(rest))
        return bits * self._every

    def _at_least(self, i: int, rank: int) -> int:
        return sum(blocks for other, blocks in self._equal[i].items() if other >= rank)

    def _reaching(self, rank: int) -> list[tuple[int, int]]:
        """(shift, mask) for each place that may hold this rank or a higher one."""
        if rank not in self._reach:
            found = [(1 << i, self._has[i] & self._at_least(i, rank)) for i in range(self.size)]
            self._reach[rank] = [pair for pair in found if pair[1]]
        return self._reach[rank]

    def _falling_short(self, rank: int) -> list[tuple[int, int]]:
        """(shift, mask) for each place that may hold the lowest card of a rest, lower than this rank."""
        if rank not in self._below:
            found = [(1 << i, self._lowest[i] & (self._all ^ self._at_least(i, rank))) for i in range(self.size)]
            self._below[rank] = [pair for pair in found if pair[1]]
        return self._below[rank]

    def _find_ranks(self) -> dict[int, list[tuple[int, int]]]:
        """rank -> (shift, mask) of each place that may hold exactly this rank."""
        found: dict[int, list[tuple[int, int]]] = {}
        for i, ranks in enumerate(self._equal):
            for rank, blocks in ranks.items():
                found.setdefault(rank, []).append((1 << i, blocks & self._has[i]))
        return found

    def _find_longest(self) -> tuple[dict[int, int], dict[int, int]]:
        """For each rank how many copies, and how long a sequence from it, one of the others holds at most."""
        hands = set(self.others)
        ranks = {rank for hand in hands for rank in hand}
        alike = {rank: max(hand.count(rank) for hand in hands) for rank in ranks}
        longest = {rank: max(_run_length(hand, rank) for hand in hands) for rank in ranks}
        return alike, longest

    # ---- we attack ------------------------------------------------------------------------

    def attacking(self, rest: int) -> int:
        known = self._attacking.get(rest)
        if known is None:
            places = self._places[rest]
            if len(places) == 1:
                known = self._showdown(self.mine[places[0]])
            else:
                known = 0
                for attack in self.attacks(rest):
                    known |= self.attacking_with(rest, attack)
            self._attacking[rest] = known
        return known

    def _showdown(self, rank: int) -> int:
        """The others' single cards that our last card beats: the lower one wins."""
        found = 0
        for i, ranks in enumerate(self._equal):
            won = self._at_least(i, rank + 1) | (ranks.get(rank, 0) & self._tied)
            found |= won & (self._every << (1 << i))
        return found

    def attacks(self, rest: int) -> list[Attack]:
        """The attacks that differ in ranks, as places; of equal cards the first ones are played."""
        places = self._places[rest]
        most = len(places) - 1
        found: list[Attack] = []
        start = 0
        for end in range(1, len(places) + 1):
            if end == len(places) or self.mine[places[end]] != self.mine[places[start]]:
                found += [places[start : start + count] for count in range(1, min(end - start, most) + 1)]
                start = end
        firsts = [i for n, i in enumerate(places) if n == 0 or self.mine[places[n - 1]] != self.mine[i]]
        return found + [run for _, run in _runs(self.mine, firsts, most)]

    def attacking_with(self, rest: int, attack: Attack) -> int:
        """The cases that we win by this attack (one of `attacks`), whatever the answer."""
        left = rest
        for i in attack:
            left ^= 1 << i
        held = self._all ^ self.defending(left)  # what the other wants to come to by holding
        given = self._all ^ self.attacking(left)
        rank, count = self.mine[attack[0]], len(attack)
        if self.mine[attack[-1]] != rank:
            return self._all ^ self._answers_to_run(rank, count, held, given)
        reach, short = self._reaching(rank), self._falling_short(rank)
        found, lost = 0, held
        for n in range(count):
            lost = _without(lost, reach)
            found = _without(found | given, short)
            if n < count - 1:
                given = _without(given, reach)
        return self._all ^ (lost | found)

    def _answers_to_run(self, low: int, count: int, held: int, given: int) -> int:
        lost = held
        for n in range(count):
            lost = _without(lost, self._reaching(low + n))
        for k in range(1, count + 1):  # k lowest cards are sacrificed, the lowest of them below the run
            after = given
            for n in range(count - k):
                after = _without(after, self._reaching(low + n))
            for _ in range(k - 1):
                after = _without(after, self._any_lowest)
            lost |= _without(after, self._falling_short(low))
        for shift, mask in self._sacrifices_above(low, count):
            lost |= given << shift & mask
        return lost

    def _sacrifices_above(self, low: int, count: int) -> list[tuple[int, int]]:
        """(shift, mask) of the sacrifices to a run by rests that have no card below it, told apart one by one."""
        key = (low, count)
        if key not in self._odd_sacrifices:
            found = []
            for places in combinations(range(self.size), count):
                mask = self._sacrifice_above(low, places)
                if mask:
                    found.append((sum(1 << i for i in places), mask))
            self._odd_sacrifices[key] = found
        return self._odd_sacrifices[key]

    def _sacrifice_above(self, low: int, places: tuple[int, ...]) -> int:
        mask = self._lowest[places[0]] & self._at_least(places[0], low)
        for i in places:
            mask &= self._has[i]
        if not mask:
            return 0
        count = len(places)
        suffice = []
        for k in range(count + 1):
            blocks = self._all
            for n in range(count - k):
                blocks &= self._at_least(places[k + n], low + n)
            suffice.append(blocks)
        found = 0
        for k in range(1, count + 1):
            exactly = suffice[k] & (self._all ^ suffice[k - 1])
            between = [i for i in range(places[k - 1]) if i not in places]
            for i in between:
                exactly &= self._all ^ self._has[i]
            found |= exactly
        return mask & found

    # ---- we defend ------------------------------------------------------------------------

    def defending(self, rest: int) -> int:
        known = self._defending.get(rest)
        if known is None:
            places = self._places[rest]
            if len(places) == 1:
                known = self._showdown(self.mine[places[0]])
            else:
                known = self._all ^ self._lost_by_attacks(rest, len(places))
            self._defending[rest] = known
        return known

    def _lost_by_attacks(self, rest: int, size: int) -> int:
        """The cases in which some attack of the other beats every answer of ours."""
        lost = 0
        for rank, places in self._exactly.items():
            bad = 0
            for count in range(min(self._most_alike[rank], size - 1), 1, -1):
                bad = _without(bad | self.lost_to(rest, (rank,) * count), places)
            run = 0
            for length in range(min(self._longest[rank], size - 1), 1, -1):
                if length >= 3:
                    run |= self.lost_to(rest, tuple(range(rank, rank + length)))
                run = _without(run, self._exactly[rank + length - 1])
            bad |= run | self.lost_to(rest, (rank,))
            for shift, mask in places:
                lost |= bad << shift & mask
        return lost

    def lost_to(self, rest: int, attack: Hand) -> int:
        """The cases (of what is left of the other) in which an attack of these ranks beats every answer of ours."""
        up = self._up
        reached = tuple([up[rank] for rank in attack])  # all that matters is which cards of ours are as high
        known = self._lost.get((rest, reached))
        if known is None:
            won = self._meeting(rest, reached, True) | self._giving(rest, reached)
            known = self._lost[rest, reached] = self._all ^ won
        return known

    def _giving(self, rest: int, attack: Hand) -> int:
        """The cases that we win by an answer that does not hold: our lowest cards, and others that reach the attack."""
        places = self._places[rest]
        lowest = self.mine[places[0]]
        won = 0
        if lowest < attack[0]:
            left = rest
            for k in range(1, len(attack) + 1):
                left ^= 1 << places[k - 1]
                won |= self._meeting(left, attack[: len(attack) - k], False)
        elif lowest < attack[-1]:
            for answer, below in self._own_sacrifices_above(attack):
                if rest & answer == answer and rest & below & ~answer == 0:
                    won |= self.defending(rest ^ answer)
        return won

    def _own_sacrifices_above(self, attack: Hand) -> list[tuple[int, int]]:
        """(cards, places below the highest sacrifice, of which nothing may be kept) of our answers to a run that do not
        hold though none of their cards is below the run."""
        found = self._own_odd.get(attack)
        if found is None:
            found = []
            for answer in combinations([i for i, rank in enumerate(self.mine) if rank >= attack[0]], len(attack)):
                short = shortage(attack, [self.mine[i] for i in answer])
                if short:
                    found.append((sum(1 << i for i in answer), (1 << answer[short - 1]) - 1))
            self._own_odd[attack] = found
        return found

    def _meeting(self, rest: int, attack: Hand, holding: bool) -> int:
        """The cases that we win by some cards as high as `attack` (ranks of ours, the next ones up: what matters is
        which cards reach them); then we attack (holding) or defend again."""
        if not attack:
            return self.attacking(rest) if holding else self.defending(rest)
        known = self._met.get((rest, attack, holding))
        if known is None:
            known, before = 0, 0
            high, left, mine = attack[-1], attack[:-1], self.mine
            for i in self._places[rest]:
                rank = mine[i]
                if rank >= high and rank != before:
                    known |= self._meeting(rest ^ 1 << i, left, holding)
                    before = rank
            self._met[rest, attack, holding] = known
        return known

    # ---- reading --------------------------------------------------------------------------

    def won(self, bits: int) -> list[int]:
        """1 or 0 for each of the other hands, as a whole."""
        text = bin(bits & self.whole | 1 << len(self.others) * self.block)[3:]
        return [int(text[n]) for n in range((len(self.others) - 1) * self.block, -1, -self.block)]


def _run_length(hand: Hand, low: int) -> int:
    """How many ranks from this one on a hand holds without a gap."""
    return next(n for n in range(MORE) if low + n not in hand)


def _has_place(i: int, rest: int) -> bool:
    return bool(rest >> i & 1)


def _is_lowest(i: int, rest: int) -> bool:
    return rest & (2 << i) - 1 == 1 << i


def shortage(attack: Hand, answer: Sequence[int]) -> int:
    """How few cards of the answer must be sacrifices; both ascending. (The same as `engine.plays.sacrifices`.)"""
    count = len(attack)
    return next(k for k in range(count + 1) if all(answer[k + n] >= attack[n] for n in range(count - k)))


def _without(bits: int, places: list[tuple[int, int]]) -> int:
    """The rests that come into `bits` by losing the card at one of these places."""
    found = 0
    for shift, mask in places:
        found |= bits << shift & mask
    return found


def _places_by_mask(size: int) -> list[tuple[int, ...]]:
    return [tuple(i for i in range(size) if mask >> i & 1) for mask in range(1 << size)]


def _runs(hand: Hand, places: Sequence[int], most: int) -> list[tuple[int, tuple[int, ...]]]:
    """(lowest rank, places) of every sequence of three to `most` cards among these places of a hand."""
    by_rank: dict[int, list[int]] = {}
    for i in places:
        by_rank.setdefault(hand[i], []).append(i)
    found = []
    for low in by_rank:
        count = 1
        while low + count in by_rank and count < most:
            count += 1
            if count >= 3:
                found += [(low, run) for run in product(*(by_rank[low + n] for n in range(count)))]
    return found
