import { Archive } from '../archive.ts';
import { TextPieces, type DocumentText, type TableOutline } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';
import { mainPartOf, relationshipsOf, targetsOf, titleOf } from '../office-package.ts';
import { attribute, readXml } from '../xml.ts';
import { CellBudget, TableText } from './table-text.ts';

/** A page for each sheet, in the order of their tabs, with the values that were shown when it was saved. */
export async function readXlsx(bytes: Buffer): Promise<DocumentText> {
  const archive = await Archive.open(bytes);
  const workbook = (await mainPartOf(archive))?.name ?? '';
  const parts = await relationshipsOf(archive, workbook);
  const book = await workbookOf(archive, workbook);
  const [stringsPart] = targetsOf(parts, 'sharedStrings');
  const [stylesPart] = targetsOf(parts, 'styles');
  const strings = stringsPart === undefined ? [] : await sharedStrings(archive, stringsPart);
  const timeOf = stylesPart === undefined ? () => undefined : await timeStyles(archive, stylesPart);
  const budget = new CellBudget();
  const pages: string[] = [];
  const tables: TableOutline[] = [];
  let length = 0;
  for (const { name, id } of book.sheets) {
    const part = parts.get(id);
    if (part?.type !== 'worksheet') continue;
    if (pages.length === limits.pages) throw extractionFailures.tooMuch(`${limits.pages} sheets`);
    const text = new TextPieces();
    text.add(`${name}\n\n`);
    const table = new TableText(text, budget);
    const shown = (cell: Cell): string => valueOf(cell, { strings, timeOf, epoch: book.epoch });
    await eachRow(archive, part.target, shown, (cells) => table.row(cells));
    length += text.length;
    if (length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    pages.push(text.toString());
    tables.push(table.outline(name));
  }
  return {
    title: await titleOf(archive),
    headings: book.sheets.map(({ name }) => name),
    pages,
    hasPages: true,
    tables,
  };
}

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly id: string }[];
  /** The day before the first one, as milliseconds. */
  readonly epoch: number;
}

async function workbookOf(archive: Archive, part: string): Promise<Workbook> {
  const sheets: { name: string; id: string }[] = [];
  let epoch = Date.UTC(1899, 11, 30);
  await readXml(archive.read(part), {
    open: (element, attributes) => {
      if (element === 'workbookPr' && /^(?:1|true)$/.test(attributes['date1904'] ?? '')) epoch = Date.UTC(1904, 0, 1);
      if (element === 'sheet') sheets.push({ name: attributes['name'] ?? '', id: attribute(attributes, 'id') ?? '' });
    },
  });
  return { sheets, epoch };
}

async function sharedStrings(archive: Archive, part: string): Promise<string[]> {
  const strings: string[] = [];
  let length = 0;
  let current = '';
  let inText = false;
  /** How a word is spoken, beside the word itself. */
  let inPhonetic = false;
  await readXml(archive.read(part), {
    open: (name) => {
      if (name === 'si') current = '';
      else if (name === 'rPh') inPhonetic = true;
      else if (name === 't') inText = true;
    },
    text: (text) => {
      if (!inText || inPhonetic) return;
      current += text;
      length += text.length;
      if (length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') inPhonetic = false;
      else if (name === 'si') {
        strings.push(current);
        if (strings.length > limits.cells) throw extractionFailures.tooMuch(`${limits.cells} texts`);
      }
    },
  });
  return strings;
}

/** A moment, or how long something takes: hours go on beyond 24 then. */
type Time = 'date' | 'duration';

/** Of the formats that every program has, by their numbers. */
const TIME_FORMATS: readonly (readonly [number, Time])[] = [
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47].map((number) => [number, 'date'] as const),
  [46, 'duration'],
];

/** Times are numbers; only their style tells. */
async function timeStyles(archive: Archive, part: string): Promise<(style: number) => Time | undefined> {
  const timeFormats = new Map(TIME_FORMATS);
  const formats: number[] = [];
  let inCellFormats = false;
  await readXml(archive.read(part), {
    open: (name, attributes) => {
      const time = name === 'numFmt' ? timeFormatOf(attributes['formatCode'] ?? '') : undefined;
      if (time) timeFormats.set(Number(attributes['numFmtId']), time);
      else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats && formats.length < 100_000) formats.push(Number(attributes['numFmtId']));
    },
    close: (name) => {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  return (style) => timeFormats.get(formats[style] ?? 0);
}

/** By letters for parts of a date, but for what is written as it stands, or stands for a space as wide; in brackets they count on. */
function timeFormatOf(code: string): Time | undefined {
  const said = code.replaceAll(/"[^"]*"|[\\_*]./g, '');
  if (/\[(?:h+|m+|s+)\]/i.test(said)) return 'duration';
  return /[dmyhs]/i.test(said.replaceAll(/\[[^\]]*\]/g, '')) ? 'date' : undefined;
}

interface Cell {
  readonly type: string;
  readonly style: number;
  readonly value: string;
}

async function eachRow(
  archive: Archive,
  part: string,
  shown: (cell: Cell) => string,
  row: (cells: readonly string[]) => void,
): Promise<void> {
  let cells: string[] = [];
  let column = 0;
  let type = '';
  let style = 0;
  let value = '';
  let inValue = false;
  await readXml(archive.read(part), {
    open: (name, attributes) => {
      if (name === 'row') cells = [];
      else if (name === 'c') {
        column = columnOf(attributes['r']) ?? cells.length;
        type = attributes['t'] ?? 'n';
        style = Number(attributes['s'] ?? 0);
        value = '';
      } else if (name === 'v' || name === 't') inValue = true;
    },
    text: (text) => {
      if (inValue && value.length < 100_000) value += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't') inValue = false;
      else if (name === 'c') {
        while (cells.length < column) cells.push('');
        cells[column] = shown({ type, style, value });
      } else if (name === 'row') row(cells);
    },
  });
}

/** 0 for `A7`, 27 for `AB7`. Undefined where there is no such column. */
function columnOf(reference = ''): number | undefined {
  let number = 0;
  for (const letter of /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0] ?? '') number = number * 26 + letter.charCodeAt(0) - 64;
  return number >= 1 && number <= 16_384 ? number - 1 : undefined;
}

interface Book {
  readonly strings: readonly string[];
  readonly timeOf: (style: number) => Time | undefined;
  readonly epoch: number;
}

function valueOf({ type, style, value }: Cell, { strings, timeOf, epoch }: Book): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const number = Number(value);
  if (type !== 'n' || value === '' || !Number.isFinite(number)) return value;
  const time = timeOf(style);
  if (time) return time === 'date' ? dateText(number, epoch) : durationText(number);
  // As the program shows it: 0.1 + 0.2 is 0.3 there.
  return String(Number(number.toPrecision(15)));
}

/** `40:30:00` for forty hours and a half. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [minutes % 60, rest].map((part) => String(part).padStart(2, '0'));
  return `${days < 0 ? '-' : ''}${Math.floor(minutes / 60)}:${parts.join(':')}`;
}

function dateText(days: number, epoch: number): string {
  const date = new Date(Math.round((epoch + days * 86_400_000) / 1000) * 1000);
  if (days < 0 || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return String(days);
  const [day = '', time = ''] = date.toISOString().split('T');
  const clock = time.slice(0, 8);
  if (days < 1) return clock;
  return Number.isInteger(days) ? day : `${day} ${clock}`;
}
