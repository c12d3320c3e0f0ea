import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { extractionFailures } from './extraction-failures.ts';
import { limits } from './limits.ts';

/** The files of a zip archive, of which no more is unpacked than is asked for. */
export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(bytes: Buffer): Promise<Archive> {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true });
    if (zip.entryCount > limits.archiveEntries) throw extractionFailures.tooMuch(`${limits.archiveEntries} parts`);
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      // Where a name is there twice, programs differ in which one they show.
      if (entries.has(entry.fileName)) throw extractionFailures.damaged(new Error('two files of one name'));
      entries.set(entry.fileName, entry);
    }
    return new Archive(zip, entries);
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The bytes of a file. The size that the archive says is not believed: no more is unpacked, and none is left out. */
  async *read(name: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#entries.get(name);
    if (!entry) throw extractionFailures.damaged(new Error('a file that is spoken of is not in the archive'));
    if (entry.isEncrypted()) throw extractionFailures.encrypted();
    let sum = 0;
    for await (const chunk of (await this.#zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      this.#unpacked += chunk.length;
      if (this.#unpacked > limits.unpackedBytes) {
        throw extractionFailures.tooMuch(`${limits.unpackedBytes / 1024 / 1024} MiB when it is unpacked`);
      }
      sum = crc32(chunk, sum);
      yield chunk;
    }
    if (sum !== entry.crc32) throw extractionFailures.damaged(new Error('the checksum of a part is another'));
  }
}
