import bidiFactory, { type Bidi } from 'bidi-js';

/** Where a line of text begins: at the left (`ltr`) or at the right (`rtl`). */
export type Direction = 'ltr' | 'rtl';

/** What is written from right to left, and the digits among it, which the engine of fonts turns around as well. */
const TURNING = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Whether anything in it is written from right to left. */
export const isTurned = (text: string): boolean => TURNING.test(text);

/** That of its first letter, as browsers find it out; of a text without letters the other one. */
export function directionOf(text: string, otherwise: Direction = 'ltr'): Direction {
  const [letter] = /\p{L}/u.exec(text) ?? [];
  if (letter === undefined) return otherwise;
  return isTurned(letter) ? 'rtl' : 'ltr';
}

/** A part of a text in one style. */
export interface StyledText<Style> {
  readonly text: string;
  readonly style: Style;
}

/** A part of a line in one style that is written in one direction. `text` is as it is handed to the engine of fonts. */
export interface LinePiece<Style> extends StyledText<Style> {
  /** In points. */
  readonly width: number;
}

/** From left to right. */
export interface TurnedLine<Style> {
  readonly pieces: readonly LinePiece<Style>[];
  readonly width: number;
}

export interface TurnedLayout<Style> {
  /** Of a line, in points. */
  readonly width: number;
  readonly direction: Direction;
  /** How wide a text is that is handed to the engine of fonts, in points. */
  readonly measure: (text: string, style: Style) => number;
}

/**
 * The lines of a text of which parts are written from right to left, in the order of the Unicode bidirectional algorithm. Lines break at
 * spaces; a word that is longer than a line breaks where that is full. Styles are told apart by identity.
 */
export function turnedLines<Style>(
  parts: readonly StyledText<Style>[],
  layout: TurnedLayout<Style>,
): readonly TurnedLine<Style>[] {
  return linesOf(parts).flatMap((line) => {
    const text = line.map((part) => part.text).join('');
    const { levels } = bidi.getEmbeddingLevels(inOneUnitEach(text), layout.direction);
    return brokenInto(wordsOf(line, levels), layout).map((pieces) => inOrder(text, levels, pieces, layout));
  });
}

/** The package reads units of UTF-16: what takes two of them stands for itself by two others of its kind. */
const inOneUnitEach = (text: string): string =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (character) => {
    if (/\p{L}/u.test(character)) return 'aa';
    return /\p{Nd}/u.test(character) ? '00' : '\ufffc\ufffc';
  });

// The package is CommonJS, whose types speak of an ES module.
const bidi = (bidiFactory as unknown as () => Bidi)();

/** A part of a text that is in one style and of one level: the odd ones are written from right to left. */
interface Token<Style> extends StyledText<Style> {
  readonly start: number;
  readonly level: number;
}

/** Without the ends of lines that stand in the text itself. */
function linesOf<Style>(parts: readonly StyledText<Style>[]): readonly (readonly StyledText<Style>[])[] {
  const lines: StyledText<Style>[][] = [[]];
  for (const { text, style } of parts)
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (line !== '') lines.at(-1)?.push({ text: line, style });
    }
  return lines;
}

/** What stays together on a line: the first of it may be spaces, behind which a line may break. */
type Word<Style> = readonly Token<Style>[];

function wordsOf<Style>(parts: readonly StyledText<Style>[], levels: Uint8Array): readonly Word<Style>[] {
  const words: Token<Style>[][] = [];
  let [start, afterSpace] = [0, true];
  for (const { text, style } of parts) {
    for (const [letters] of text.matchAll(/ +|[^ ]+/g)) {
      const isSpace = letters.startsWith(' ');
      if (isSpace || afterSpace) words.push([]);
      afterSpace = isSpace;
      for (const part of ofOneLevel(letters, start, levels)) words.at(-1)?.push({ ...part, style });
      start += letters.length;
    }
  }
  return words;
}

function ofOneLevel(text: string, from: number, levels: Uint8Array): Omit<Token<never>, 'style'>[] {
  const found: { text: string; start: number; level: number }[] = [];
  let start = from;
  for (const letter of lettersOf(text)) {
    const level = levels[start] ?? 0;
    const last = found.at(-1);
    if (last?.level === level) last.text += letter;
    else found.push({ text: letter, start, level });
    start += letter.length;
  }
  return found;
}

function brokenInto<Style>(
  words: readonly Word<Style>[],
  { width, measure }: TurnedLayout<Style>,
): readonly (readonly Token<Style>[])[] {
  const lines: Token<Style>[][] = [[]];
  let used = 0;
  const widthOf = (word: Word<Style>) =>
    word.flatMap(apart).reduce((sum, token) => sum + measure(shown(token), token.style), 0);
  const add = (word: Word<Style>, wide: number) => {
    if (used > 0 && used + wide > width && !isSpace(word)) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(...word);
    used += wide;
  };
  for (const word of words) {
    const wide = widthOf(word);
    if (wide <= width || isSpace(word)) add(word, wide);
    else for (const part of word.flatMap((token) => cut(token, width, widthOf))) add([part], widthOf([part]));
  }
  return lines;
}

const isSpace = <Style>(word: Word<Style>): boolean => word[0]?.text.startsWith(' ') === true;

/** In parts that fit a line each. */
function cut<Style>(token: Token<Style>, width: number, widthOf: (word: Word<Style>) => number): Token<Style>[] {
  const letters = lettersOf(token.text);
  const parts: Token<Style>[] = [];
  let start = token.start;
  while (letters.length > 0) {
    // How many fit lies between these, of which the first does whatever its width.
    let [fits, tooMany] = [1, letters.length + 1];
    while (tooMany - fits > 1) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (widthOf([{ ...token, text: letters.slice(0, middle).join('') }]) <= width) fits = middle;
      else tooMany = middle;
    }
    const text = letters.splice(0, fits).join('');
    parts.push({ ...token, text, start });
    start += text.length;
  }
  return parts;
}

function inOrder<Style>(
  text: string,
  levels: Uint8Array,
  tokens: readonly Token<Style>[],
  { measure, direction }: TurnedLayout<Style>,
): TurnedLine<Style> {
  const kept = tokens.slice(0, tokens.findLastIndex((token) => !isSpace([token])) + 1);
  const [first, last] = [kept.at(0), kept.at(-1)];
  if (!first || !last) return { pieces: [], width: 0 };
  const [start, end] = [first.start, last.start + last.text.length];
  const order = bidi.getReorderedIndices(text.slice(start, end), {
    levels: levels.slice(start, end),
    paragraphs: [{ start: 0, end: end - start - 1, level: direction === 'rtl' ? 1 : 0 }],
  });
  const visualIndexes = new Map(order.map((index, visualIndex) => [index + start, visualIndex]));
  const visualIndexOf = (piece: Token<Style>) => visualIndexes.get(piece.start) ?? 0;
  const pieces = joined(kept)
    .flatMap(apart)
    .toSorted((one, other) => visualIndexOf(one) - visualIndexOf(other))
    .map((piece) => ({ text: shown(piece), style: piece.style, width: measure(shown(piece), piece.style) }));
  return { pieces, width: pieces.reduce((sum, piece) => sum + piece.width, 0) };
}

/** Letters are joined within what is handed over as one. */
function joined<Style>(tokens: readonly Token<Style>[]): readonly Token<Style>[] {
  const pieces: Token<Style>[] = [];
  for (const token of tokens) {
    const last = pieces.at(-1);
    if (last?.style === token.style && last.level === token.level)
      pieces[pieces.length - 1] = { ...last, text: last.text + token.text };
    else pieces.push(token);
  }
  return pieces;
}

/**
 * What stands on both sides of a sign that keeps letters from being joined is handed over by itself, as no font has to have it. The one
 * that asks for it becomes the stroke that joins them.
 */
function apart<Style>(token: Token<Style>): readonly Token<Style>[] {
  if (!isTurned(token.text)) return [token];
  let { start } = token;
  return token.text
    .replaceAll('\u200d', '\u0640')
    .split('\u200c')
    .map((text) => {
      const part = { ...token, text, start };
      start += text.length + 1;
      return part;
    })
    .filter(({ text }) => text !== '');
}

/**
 * As the engine of fonts has to get it. It turns around by itself whatever has Arabic or Hebrew letters in it, their digits as well,
 * which are written from left to right, and nothing else; brackets it leaves as they are.
 */
function shown({ text, level }: Pick<Token<unknown>, 'text' | 'level'>): string {
  const isRightToLeft = level % 2 === 1;
  const mirrored = isRightToLeft
    ? Array.from(text, (letter) => bidi.getMirroredCharacter(letter) ?? letter).join('')
    : text;
  return isRightToLeft === isTurned(text) ? mirrored : lettersOf(mirrored).toReversed().join('');
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** As people count them: what stands above or below a letter goes with it. */
const lettersOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);
