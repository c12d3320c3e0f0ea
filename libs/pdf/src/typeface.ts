import { create, type Font } from 'fontkit';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { eastAsianFontFiles } from './machine-fonts.ts';
import { isTurned } from './turned-text.ts';

/** A font that stands in where the typeface has no letter. */
export interface FallbackFont {
  readonly name: string;
  readonly file: Buffer;
  /** Where it has one. */
  readonly bold?: Buffer;
  /** Which font of a collection it is. */
  readonly family?: string;
}

/** A part of a text; without a font that of the typeface. */
export interface TextPiece {
  readonly text: string;
  readonly font?: FallbackFont;
}

/**
 * The typeface of documents: Latin, Greek, Cyrillic and Devanagari letters. Arabic, Hebrew, signs and emoji come from fonts beside it, East
 * Asian letters from those of the machine, where it has any.
 */
export interface DocumentFonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
  /** How far above the line that letters stand on theirs begins, as a part of the size. */
  readonly ascent: number;
  /** The text as it can be shown: what no font has a letter for stands as `unknownLetter`. */
  readonly printable: (text: string) => string;
  /** What is printable, in parts that have one font each. */
  readonly pieces: (printable: string) => readonly TextPiece[];
}

/** Visible on paper, one for each letter as people count them. */
export const unknownLetter = '\ufffd';

export function documentFonts(): DocumentFonts {
  const [regular, bold] = [
    'noto-sans/400Regular/NotoSans_400Regular.ttf',
    'noto-sans/700Bold/NotoSans_700Bold.ttf',
  ].map(shipped) as [Buffer, Buffer];
  const faces = [fontIn(regular), fontIn(bold)] as const;
  const [face] = faces;
  const known = (codePoint: number) => faces.every((one) => one.hasGlyphForCodePoint(codePoint));
  const fonts = new LetterFonts(known);
  return {
    ...{ regular, bold, ascent: face.ascent / face.unitsPerEm },
    printable: (text) =>
      [...letters.segment(visible(text.normalize('NFC')))]
        .map(({ segment }) => (fonts.of(segment) === undefined ? unknownLetter : segment))
        .join(''),
    pieces: (text) => piecesOf(text, fonts),
  };
}

const packages = createRequire(import.meta.url);
const shipped = (path: string): Buffer => readFileSync(packages.resolve(`@expo-google-fonts/${path}`));

/** Signs of mathematics, others, and emoji. */
const SIGNS: Readonly<Record<string, string>> = {
  mathematics: 'noto-sans-math/400Regular/NotoSansMath_400Regular.ttf',
  symbols: 'noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf',
  emoji: 'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
};

/** By folder and beginning of the file's name; the end is the weight. */
const SCRIPTS: Readonly<Record<string, string>> = {
  arabic: 'ibm-plex-sans-arabic IBMPlexSansArabic',
  hebrew: 'noto-sans-hebrew NotoSansHebrew',
};

function scriptFont([name, where]: readonly [string, string]): FallbackFont {
  const [folder = '', file = ''] = where.split(' ');
  const ofWeight = (weight: string) => shipped(`${folder}/${weight}/${file}_${weight}.ttf`);
  return { name, file: ofWeight('400Regular'), bold: ofWeight('700Bold') };
}

const OWN = 'own';

/** Which font a letter is shown in. Fonts beside the typeface are read when a text first needs them. */
class LetterFonts {
  readonly #known: (codePoint: number) => boolean;
  readonly #found = new Map<string, FallbackFont | typeof OWN | undefined>();
  #fallbacks: readonly (FallbackFont & { readonly face: Font })[] | undefined;

  constructor(known: (codePoint: number) => boolean) {
    this.#known = known;
  }

  of(letter: string): FallbackFont | typeof OWN | undefined {
    if (this.#has(this.#known, letter)) return OWN;
    if (!this.#found.has(letter)) {
      if (this.#found.size >= MAX_REMEMBERED) this.#found.clear();
      this.#fallbacks ??= fallbackFonts();
      this.#found.set(
        letter,
        this.#fallbacks.find(({ face }) => this.#has((codePoint) => face.hasGlyphForCodePoint(codePoint), letter)),
      );
    }
    return this.#found.get(letter);
  }

  #has(known: (codePoint: number) => boolean, letter: string): boolean {
    const seen = isTurned(letter) ? letter.replaceAll(JOINERS, '') : letter;
    return Array.from(seen).every((character) => known(character.codePointAt(0) ?? 0));
  }
}

/** They say whether the Arabic letters beside them are joined, and are nothing to be seen: `turned-text.ts` takes them out. */
const JOINERS = /[\u200c\u200d]/g;

/** Letters whose font is remembered; there are more only in texts that nobody writes. */
const MAX_REMEMBERED = 20_000;

function fallbackFonts(): readonly (FallbackFont & { readonly face: Font })[] {
  const shippedFonts = [
    ...Object.entries(SCRIPTS).map(scriptFont),
    ...Object.entries(SIGNS).map(([name, path]) => ({ name, file: shipped(path) })),
  ];
  // One font of the machine is enough: those behind it cost time and memory, and have the same letters.
  const eastAsian = eastAsianFontFiles().slice(0, 1);
  const ofMachine = eastAsian.flatMap((path) => {
    try {
      return [{ name: path, file: readFileSync(path) }];
    } catch {
      return [];
    }
  });
  return [...shippedFonts, ...ofMachine].flatMap((font: FallbackFont) => {
    const read = firstOf(font.file);
    if (!read) return [];
    const { face, family } = read;
    return [{ ...font, face, ...(family !== undefined && { family }) }];
  });
}

/** The font in a file, of a collection the first; undefined where it holds none. */
function firstOf(file: Buffer): { readonly face: Font; readonly family?: string } | undefined {
  try {
    const font = create(file);
    if (!('fonts' in font)) return { face: font };
    const [face] = font.fonts;
    return face && { face, family: face.postscriptName };
  } catch {
    return undefined;
  }
}

function fontIn(file: Buffer): Font {
  const font = create(file);
  if ('fonts' in font) throw new Error('a font file holds a collection of fonts');
  return font;
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Western letters and signs, which the typeface has all of and most texts are. */
const WESTERN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u017f\u2013-\u2022\u2026\u20ac]*$/;

function piecesOf(text: string, fonts: LetterFonts): readonly TextPiece[] {
  if (WESTERN.test(text)) return [{ text }];
  const pieces: { text: string; font?: FallbackFont }[] = [];
  for (const { segment } of letters.segment(text)) {
    const font = fonts.of(segment);
    const last = pieces.at(-1);
    const beside = font === OWN || font === undefined ? undefined : font;
    // A space goes with what is before it.
    if (last && (last.font === beside || /^\s$/.test(segment))) last.text += segment;
    else pieces.push({ text: segment, ...(beside && { font: beside }) });
  }
  return pieces;
}

/** On one line, and without the characters that only turn around, hide or colour what is next to them. */
const visible = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\p{Bidi_Control}|\u00ad|\u200b|\u2060|\ufeff|\ufe0e|\ufe0f/gu, '');
