import { oneLine } from '../clean-text.ts';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';

/** Groups that are no part of the text; those that a reader may ignore begin with `\\*` besides. */
const NOT_SHOWN = new Set([
  ...['fonttbl', 'colortbl', 'stylesheet', 'listtable', 'listoverridetable', 'rsidtbl', 'generator', 'filetbl'],
  ...['pict', 'object', 'objdata', 'themedata', 'colorschememapping', 'datastore', 'latentstyles', 'fldinst'],
  ...[
    'header',
    'headerl',
    'headerr',
    'headerf',
    'footer',
    'footerl',
    'footerr',
    'footerf',
    'info',
    'xmlnstbl',
    'revtbl',
  ],
]);

const WRITTEN: Readonly<Record<string, string>> = {
  ...{ par: '\n\n', sect: '\n\n', page: '\n\n', line: '\n', row: '\n', tab: '\t', cell: '\t', nestcell: '\t' },
  ...{ emdash: '—', endash: '–', bullet: '•', lquote: '‘', rquote: '’', ldblquote: '“', rdblquote: '”', nestrow: '\n' },
};

interface Group {
  readonly isShown: boolean;
  readonly isTitle: boolean;
  /** How many characters stand after one by its number, for programs that do not know that. */
  readonly fallback: number;
}

/** A control word with its number, a symbol, a byte by its number, a brace, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}]+)/giy;

/** The text of a file in the Rich Text Format, without what stands at the head and foot of its pages. */
export function readRtf(bytes: Buffer): DocumentText {
  const text = new TextPieces();
  const source = bytes.toString('latin1');
  let title = '';
  let decoder = new TextDecoder('windows-1252');
  let group: Group = { isShown: true, isTitle: false, fallback: 1 };
  const groups: Group[] = [];
  /** Bytes of the present code page that were not written yet: some characters have two. */
  let coded: number[] = [];
  let skipped = 0;
  let isOptional = false;

  const write = (piece: string): void => {
    if (group.isTitle && title.length < 1_000) title += piece;
    else if (group.isShown) text.add(piece);
  };
  const flush = (): void => {
    if (coded.length > 0) write(decoder.decode(Uint8Array.from(coded)));
    coded = [];
  };
  const writeCoded = (codes: Uint8Array | readonly number[]): void => {
    // Pictures are written in digits, which may be all of the file.
    if (!group.isShown && !group.isTitle) return;
    if (coded.length + codes.length > 2 * limits.textLength)
      throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    for (const code of codes)
      if (skipped > 0) skipped -= 1;
      else coded.push(code);
  };
  const control = (word: string, number: number | undefined): void => {
    if (word === 'title' && !group.isShown) group = { ...group, isTitle: true };
    else if (isOptional || NOT_SHOWN.has(word)) group = { ...group, isShown: false, isTitle: false };
    else if (word === 'uc') group = { ...group, fallback: number ?? 1 };
    else if (word === 'ansicpg' && number !== undefined) decoder = decoderOf(number);
    else if (word === 'u' && number !== undefined) {
      write(String.fromCharCode(number < 0 ? number + 65_536 : number));
      skipped = group.fallback;
    } else write(WRITTEN[word] ?? '');
  };

  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token; token = TOKEN.exec(source)) {
    const [, word, number, byte, symbol, brace, plain] = token;
    if (byte !== undefined) {
      writeCoded([Number.parseInt(byte, 16)]);
      continue;
    }
    if (plain !== undefined) {
      writeCoded(Buffer.from(plain.replaceAll(/[\r\n\0]/g, ''), 'latin1'));
      continue;
    }
    flush();
    if (brace === '{') {
      groups.push(group);
      if (groups.length > limits.depth) throw extractionFailures.tooDeep();
    } else if (brace === '}') {
      group = groups.pop() ?? group;
      skipped = 0;
    } else if (word === 'bin') TOKEN.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word !== undefined) control(word.toLowerCase(), number === undefined ? undefined : Number(number));
    else if (symbol === '~') write(' ');
    else if (symbol === '_') write('-');
    else if (symbol === '\n' || symbol === '\r') write('\n\n');
    else if (symbol === '\\' || symbol === '{' || symbol === '}') writeCoded([symbol.charCodeAt(0)]);
    isOptional = symbol === '*';
  }
  flush();
  if (groups.length > 0) throw extractionFailures.damaged(new Error('the file ends within a group'));
  const shown = text.toString().replaceAll(/\t(?=\n)/g, '');
  return { title: oneLine(title) || undefined, pages: [shown], hasPages: false };
}

function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  const named: Readonly<Record<number, string>> = { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' };
  try {
    return new TextDecoder(named[codePage] ?? (codePage === 65_001 ? 'utf-8' : `windows-${codePage}`));
  } catch {
    return new TextDecoder('windows-1252');
  }
}
