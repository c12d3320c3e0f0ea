import { Parser } from 'htmlparser2';
import { extractionFailures } from './extraction-failures.ts';
import { limits } from './limits.ts';

export interface XmlHandler {
  /** Names without their prefixes: which one stands for a namespace is up to whoever wrote the file. */
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/**
 * Reads XML piece by piece. Entities that a document declares are not replaced, so that none of them
 * can grow or name a file. `encoding`: of what is not by what all programs write, which is UTF-8, or UTF-16 that says so by its first bytes.
 */
export async function readXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler, encoding?: string): Promise<void> {
  let elements = 0;
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        elements += 1;
        depth += 1;
        if (depth > limits.depth) throw extractionFailures.tooDeep();
        handler.open?.(local(name), attributes);
      },
      ontext: (text) => handler.text?.(text),
      onclosetag: (name) => {
        depth -= 1;
        handler.close?.(local(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(encoding ?? encodingOf(chunk));
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.end();
  if (elements === 0) throw extractionFailures.damaged(new Error('a part is no XML'));
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The value of an attribute, whatever its prefix. */
export function attribute(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(attributes)) if (local(key) === name) return value;
  return undefined;
}
