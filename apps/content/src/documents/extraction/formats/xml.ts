import { TextPieces, type DocumentText } from '../document-text.ts';
import { encodingOf } from '../sniff.ts';
import { readXml, type XmlHandler } from '../xml.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  hasChildren: boolean;
}

/**
 * Each element that says something on a line of its own, with its name and attributes: what is looked for in records. Words between elements,
 * as texts have them, stand on lines of their own as well; entities are not replaced.
 */
export async function readXmlText(bytes: Buffer): Promise<DocumentText> {
  const text = new TextPieces();
  const open: Element[] = [];
  const say = (element: Element): void => {
    const said = element.text.replaceAll(/\s+/g, ' ').trim();
    element.text = '';
    const name = element.hasChildren ? '' : nameOf(element);
    if (said !== '') text.add(`${name}${name === '' ? '' : ': '}${said}\n`);
    else if (name.includes(' ')) text.add(`${name}\n`);
  };
  const handler: XmlHandler = {
    open(name, attributes) {
      const parent = open.at(-1);
      if (parent) {
        const isFirst = !parent.hasChildren;
        if (isFirst && parent.text.trim() === '') say({ ...parent, text: '' });
        parent.hasChildren = true;
        say(parent);
      }
      open.push({ name, attributes, text: '', hasChildren: false });
    },
    text(said) {
      const element = open.at(-1);
      if (element) element.text += said;
    },
    close() {
      const element = open.pop();
      if (element) say(element);
      // A record ends: an empty line before the next.
      if (open.length === 1 && element?.hasChildren) text.add('\n');
    },
  };
  await readXml(inPieces(bytes), handler, encodingOfXml(bytes));
  return { pages: [text.toString()], hasPages: false };
}

/** With what its attributes say, those that only declare something left out. */
function nameOf({ name, attributes }: Element): string {
  const said = Object.entries(attributes).filter(
    ([key, value]) => value.trim() !== '' && !/^(?:xmlns|xsi|xml)\b/.test(key),
  );
  return said.length === 0 ? name : `${name} (${said.map(([key, value]) => `${key}: ${value}`).join(', ')})`;
}

/** As it says itself where it is no UTF-8, as records of older programs are; else as its bytes look. */
function encodingOfXml(bytes: Buffer): string {
  const seen = encodingOf(bytes) ?? 'utf-8';
  const declared = /^[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(bytes.toString('latin1', 0, 200))?.[1];
  if (seen !== 'windows-1252' || declared === undefined) return seen;
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return seen;
  }
}

/** So that no piece is decoded at once. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield await Promise.resolve(bytes.subarray(at, at + PIECE));
}

const PIECE = 256 * 1024;
