import type { Json } from '../../notebooks/domain/json.ts';
import type { KernelSignal } from './job-messages.ts';
import { textOf } from './job-messages.ts';

type JsonObject = Readonly<Record<string, Json>>;

/** What a cell has shown so far, in the format nbformat 4, with one more word of its kernel. */
export function withOutput(outputs: readonly JsonObject[], { type, content }: KernelSignal): readonly JsonObject[] {
  if (type === 'clear_output') return [];
  if (type === 'stream') return withText(outputs, textOf(content['name']), textOf(content['text']));
  const output = outputOf(type, content);
  return output ? [...outputs, output] : outputs;
}

/** Text behind text of the same stream is one output. */
function withText(outputs: readonly JsonObject[], named: string, text: string): readonly JsonObject[] {
  const name = named === 'stderr' ? 'stderr' : 'stdout';
  const last = outputs.at(-1);
  if (last?.['output_type'] !== 'stream' || last['name'] !== name) {
    return [...outputs, { output_type: 'stream', name, text }];
  }
  return outputs.with(-1, { ...last, text: `${textOf(last['text'])}${text}` });
}

/** What a program calls that which it shows; empty where it has no name. */
export const displayIdOf = ({ content }: KernelSignal): string => textOf(objectOf(content['transient'])['display_id']);

/** An output as it is updated. */
export const withDisplay = (output: JsonObject, { content: { data, metadata } }: KernelSignal): JsonObject => ({
  ...output,
  data: objectOf(data),
  metadata: objectOf(metadata),
});

function outputOf(type: string, content: JsonObject): JsonObject | undefined {
  const { data, metadata, execution_count: count } = content;
  if (type === 'display_data') return { output_type: type, data: objectOf(data), metadata: objectOf(metadata) };
  if (type === 'execute_result') {
    const executionCount = typeof count === 'number' ? count : null;
    return { output_type: type, execution_count: executionCount, data: objectOf(data), metadata: objectOf(metadata) };
  }
  if (type !== 'error') return undefined;
  const lines: readonly Json[] = Array.isArray(content['traceback']) ? content['traceback'] : [];
  const [ename, evalue] = [textOf(content['ename']), textOf(content['evalue'])];
  return { output_type: type, ename, evalue, traceback: lines.map(textOf) };
}

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
