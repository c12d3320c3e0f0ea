import { spawnSync } from 'node:child_process';
import type { Conversation } from './conversation.ts';

const SENTENCE = 'Please send the invoice to the accounting department.';

/** A sentence spoken on the spot is understood, as well as the engine of this machine can. */
export async function speech({ chapter, send }: Conversation, headers: Record<string, string>): Promise<void> {
  const spoken = spawnSync('espeak-ng', ['-v', 'en-us', '-s', '150', '--stdout', SENTENCE]);
  const isSpoken = spoken.status === 0;
  chapter(
    isSpoken
      ? `Speech to text: a voice says "${SENTENCE}"`
      : 'Speech to text: there is no espeak-ng here to say a sentence, so a tone, in which nobody speaks',
  );
  const form = new FormData();
  form.set('language', 'en');
  form.set('audio', new Blob([isSpoken ? spoken.stdout : tone()], { type: 'audio/wav' }), 'sentence.wav');
  // 503 says what to install where there is nothing that could understand it.
  await send({ method: 'POST', path: '/inference/transcribe', headers, body: form, expect: [200, 503] });
  await send({ method: 'GET', path: '/transcriptions/', headers, expect: 200 });
}

/** A second of 440 Hz as a WAV file. */
function tone(): Buffer {
  const [rate, bytes] = [16_000, 32_000];
  const header = Buffer.from('524946460000000057415645666d7420100000000100010000000000000000000200100064617461', 'hex');
  header.writeUInt32LE(36 + bytes, 4);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  const samples = Int16Array.from({ length: rate }, (_sample, at) => 8_000 * Math.sin((2 * Math.PI * 440 * at) / rate));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes);
  return Buffer.concat([header, size, Buffer.from(samples.buffer)]);
}
