import type { Json } from '../../notebooks/domain/json.ts';
import type { KernelSignal } from './job-messages.ts';
import { textOf } from './job-messages.ts';

type JsonObject = Readonly<Record<string, Json>>;

/** Adds one more word of its kernel to what a cell has shown so far, in the format nbformat 4. */
export function addOutput(outputs: JsonObject[], { type, content }: KernelSignal): void {
  if (type === 'stream') {
    addText(outputs, textOf(content['name']), textOf(content['text']));
    return;
  }
  const output = outputOf(type, content);
  if (output) outputs.push(output);
}

/** Text behind text of the same stream is one output. */
function addText(outputs: JsonObject[], named: string, text: string): void {
  const name = named === 'stderr' ? 'stderr' : 'stdout';
  const last = outputs.at(-1);
  if (last?.['output_type'] !== 'stream' || last['name'] !== name) outputs.push({ output_type: 'stream', name, text });
  else outputs[outputs.length - 1] = { ...last, text: `${textOf(last['text'])}${text}` };
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
