/** One request and what the walk expects of its answer. */
export type Step = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The status that shows the platform keeps its promise here. */
  expect: number;
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

/** Sends requests to the platform and prints both sides. */
export const conversation = (url: string, print: (line: string) => void) => ({
  /** What the next requests are about. */
  chapter: (title: string): void => print(`\n— ${title}`),

  send: async <Body>({ method, path, headers = {}, body, expect }: Step): Promise<Body> => {
    print(`\n  ${method} ${path}`);
    for (const [name, value] of Object.entries(headers)) print(`    ${name}: ${shortened(value)}`);
    if (body !== undefined) print(indented(readable(body)));
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? undefined : (JSON.parse(text) as Body);
    print(`  → ${response.status} ${response.statusText}`);
    if (answer !== undefined) print(indented(readable(answer)));
    if (response.status !== expect)
      throw new BrokenPromise(`${method} ${path} answered ${response.status}, expected ${expect}`);
    return answer as Body;
  },
});

export type Conversation = ReturnType<typeof conversation>;
