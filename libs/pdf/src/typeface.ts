import { create, type Font } from 'fontkit';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The typeface of documents: Latin, Greek, Cyrillic and Devanagari letters. */
export interface DocumentFonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
  /** How far above the line that letters stand on theirs begins, as a part of the size. */
  readonly ascent: number;
  /** The text as the typeface can show it: what it has no letter for stands as `unknownLetter`. */
  readonly printable: (text: string) => string;
}

/** Visible on paper, one for each letter as people count them. */
export const unknownLetter = '\ufffd';

export function documentFonts(): DocumentFonts {
  const fontFile = (name: string) => readFileSync(packages.resolve(`@expo-google-fonts/noto-sans/${name}`));
  const regular = fontFile('400Regular/NotoSans_400Regular.ttf');
  const bold = fontFile('700Bold/NotoSans_700Bold.ttf');
  const face = fontIn(regular);
  const faces = [face, fontIn(bold)];
  const known = (codePoint: number) => faces.every((face) => face.hasGlyphForCodePoint(codePoint));
  return { regular, bold, ascent: face.ascent / face.unitsPerEm, printable: printableWith(known) };
}

const packages = createRequire(import.meta.url);

function fontIn(file: Buffer): Font {
  const font = create(file);
  if ('fonts' in font) throw new Error('a font file holds a collection of fonts');
  return font;
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function printableWith(known: (codePoint: number) => boolean): DocumentFonts['printable'] {
  const shown = (letter: string) => Array.from(letter).every((character) => known(character.codePointAt(0) ?? 0));
  return (text) =>
    [...letters.segment(visible(text.normalize('NFC')))]
      .map(({ segment }) => (shown(segment) ? segment : unknownLetter))
      .join('');
}

/** On one line, and without the characters that only turn around or hide what is next to them. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/[\p{Bidi_Control}\u00ad\u200b\u2060\ufeff]/gu, '');
