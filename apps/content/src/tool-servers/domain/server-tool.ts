import { beginningOf, type Fields } from '@platform-backend/core';

/** A tool as its server offers it, bounded: whatever a server says of it is data for a model, and nothing else. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of its arguments; null where it is too large for a model. */
  readonly parameters: Fields | null;
}

export interface ToolResult {
  readonly text: string;
  /** The tool says that it failed, and why. */
  readonly isError: boolean;
}

/** A server that is spoken to. Whatever goes wrong is `toolServerFailed`. */
export interface ToolConnection {
  readonly list: (signal: AbortSignal) => Promise<readonly ServerTool[]>;
  /** `callId` is the same one whenever the same call is repeated. */
  readonly call: (
    tool: string,
    given: Fields,
    options: { readonly callId: string; readonly signal: AbortSignal },
  ) => Promise<ToolResult>;
  readonly close: () => Promise<void>;
}

/** What a server can offer; the rest is left out. */
export const MAX_SERVER_TOOLS = 100;
const MAX_DESCRIPTION = 1_000;
const MAX_SCHEMA_BYTES = 16_384;
/** What models' servers take. */
const MAX_MODEL_NAME = 64;

/** What models know a tool by. No tool of the platform has two underscores in its name, so that none is taken for one. */
export const modelNameOf = (server: string, tool: string): string =>
  `${server}__${tool.replaceAll(/[^\w-]/g, '_')}`.slice(0, MAX_MODEL_NAME);

/** Without what no person sees, and no longer than a model reads. */
const bounded = (text: string): string =>
  beginningOf(
    text.replaceAll(/[\p{Cf}\p{Cc}\p{Co}\p{Cs}]/gu, (character) => (/\s/.test(character) ? ' ' : '')),
    MAX_DESCRIPTION,
  );

export function serverTool(name: string, description: string, parameters: unknown): ServerTool {
  const isObject = typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters);
  const schema: Fields = isObject ? (parameters as Fields) : { type: 'object', properties: {} };
  const isSmall = new TextEncoder().encode(JSON.stringify(schema)).byteLength <= MAX_SCHEMA_BYTES;
  return { name, description: bounded(description), parameters: isSmall ? schema : null };
}

const LEFT_OUT = '\n[The rest of the answer is left out: it is longer than may be read.]';

/** At most so many bytes of UTF-8, with a word about it where that is not all. */
export function beginningOfResult(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= maxBytes) return text;
  // A character that is cut in two is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, maxBytes)).replace(/\ufffd$/, '')}${LEFT_OUT}`;
}
