import { setTimeout as delay } from 'node:timers/promises';

/** One request and what the walk expects of its answer. */
export type Step = {
  method: string;
  /** Or a whole URL, where the platform signed one. */
  path: string;
  headers?: Record<string, string>;
  /** JSON, or a form. */
  body?: unknown;
  /** A file as the whole body. */
  file?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string };
  /** The status that shows the platform keeps its promise here; several, where it depends on what is installed. */
  expect: number | readonly number[];
};

/** An answer that is not the promised one ends the walk. */
export class BrokenPromise extends Error {}

/** Credentials are shown by their beginning only. */
export const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 16)}…` : text);

/** JSON as it is read most easily: short things on one line. */
export const readable = (value: unknown): string => {
  const line = JSON.stringify(value);
  return line.length <= 100 ? line : JSON.stringify(value, null, 2);
};

const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

/** The parts of a form, one a line. */
const formText = (form: FormData): string =>
  [...form]
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : `${value.name}, ${value.size} bytes`}`)
    .join('\n');

type Sent = { readonly headers?: Record<string, string>; readonly body: NonNullable<RequestInit['body']> };

/** What goes over the wire, and what is printed of it. */
function content({ body, file }: Step): { readonly sent?: Sent; readonly shown?: string } {
  if (file) {
    const sent = { headers: { 'content-type': file.type }, body: file.bytes };
    return { sent, shown: `(${file.bytes.length} bytes, ${file.type})` };
  }
  if (body instanceof FormData) return { sent: { body }, shown: formText(body) };
  if (body === undefined) return {};
  const sent = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return { sent, shown: readable(body) };
}

/** Sends requests to the platform and prints both sides. */
export const conversation = (url: string, print: (line: string) => void) => {
  const send = async <Body>(step: Step): Promise<Body> => {
    const { method, path, headers = {}, expect } = step;
    print(`\n  ${method} ${path.startsWith('/') ? path : shortened(path)}`);
    for (const [name, value] of Object.entries(headers)) print(`    ${name}: ${shortened(value)}`);
    const { sent, shown } = content(step);
    if (shown !== undefined) print(indented(shown));
    const response = await fetch(new URL(path, url), {
      method,
      ...sent,
      headers: { ...headers, ...sent?.headers },
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json') === true;
    const answer = isJson ? (JSON.parse(text) as Body) : undefined;
    print(`  → ${response.status} ${response.statusText}`);
    if (text !== '') print(indented(isJson ? readable(answer) : text.trim()));
    if (![expect].flat().includes(response.status))
      throw new BrokenPromise(
        `${method} ${path} answered ${response.status}, expected ${[expect].flat().join(' or ')}`,
      );
    return answer as Body;
  };

  return {
    /** What the next requests are about. */
    chapter: (title: string): void => print(`\n— ${title}`),
    /** What there is to say about what was answered. */
    say: (sentence: string): void => print(`\n  ${sentence}`),
    send,
    /** Asks again, without printing, until the answer is the awaited one; then once more for everybody to see. */
    until: async <Body>(step: Step, isReached: (answer: Body) => boolean, limitMs: number): Promise<Body> => {
      const quiet = conversation(url, () => undefined);
      const deadline = performance.now() + limitMs;
      while (!isReached(await quiet.send<Body>(step))) {
        if (performance.now() > deadline) break;
        await delay(250);
      }
      const answer = await send<Body>(step);
      if (!isReached(answer))
        throw new BrokenPromise(`${step.method} ${step.path} took longer than ${limitMs / 1000} s`);
      return answer;
    },
  };
};

export type Conversation = ReturnType<typeof conversation>;
