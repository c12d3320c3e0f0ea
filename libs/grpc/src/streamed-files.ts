import { noUpload } from './errors.ts';

/** What one message carries of a file, in bytes. */
const PIECE_BYTES = 64 * 1024;

/**
 * The first message of an upload, which says what is uploaded, and the bytes of all its messages.
 *
 * @throws `malformed` where there is no message.
 */
export async function openUpload<Message extends { readonly chunk: Uint8Array }>(
  messages: AsyncIterable<Message>,
): Promise<{ readonly first: Message; readonly body: AsyncIterable<Uint8Array> }> {
  const following = messages[Symbol.asyncIterator]();
  const first = await following.next();
  if (first.done) throw noUpload();
  return { first: first.value, body: chunksOf(first.value, following) };
}

/** The same with all bytes at once. The contract bounds how many they may be. */
export async function wholeUpload<Message extends { readonly chunk: Uint8Array }>(
  messages: AsyncIterable<Message>,
): Promise<{ readonly first: Message; readonly bytes: Buffer }> {
  const { first, body } = await openUpload(messages);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return { first, bytes: Buffer.concat(pieces) };
}

async function* chunksOf<Message extends { readonly chunk: Uint8Array }>(
  first: Message,
  following: AsyncIterator<Message>,
): AsyncGenerator<Uint8Array> {
  yield first.chunk;
  for (let next = await following.next(); !next.done; next = await following.next()) yield next.value.chunk;
}

/** Bytes as messages of a download, none of them larger than one should be. */
export async function* inMessages(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length; from += PIECE_BYTES)
      yield { chunk: piece.subarray(from, from + PIECE_BYTES) };
  }
}
