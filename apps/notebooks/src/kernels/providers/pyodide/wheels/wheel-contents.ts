import { fromBufferPromise } from 'yauzl';

/** What is read of a wheel before it is installed. */
interface WheelContents {
  /** As its metadata have them. */
  readonly requires: readonly string[];
  readonly requiresPython: string | undefined;
  /** The modules and packages that an import finds. */
  readonly imports: readonly string[];
}

const MAX_METADATA_BYTES = 2 ** 20;

/** @throws Error when it is no wheel. */
export async function wheelContents(wheel: Buffer): Promise<WheelContents> {
  const zip = await fromBufferPromise(wheel, { lazyEntries: true, validateEntrySizes: true });
  const imports = new Set<string>();
  let metadata: string | undefined;
  for await (const entry of zip.eachEntry()) {
    const [top = '', ...inside] = entry.fileName.split('/');
    if (top.endsWith('.dist-info')) {
      if (inside.join('/') !== 'METADATA' || entry.uncompressedSize > MAX_METADATA_BYTES) continue;
      const chunks: Buffer[] = [];
      for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) chunks.push(chunk);
      metadata = Buffer.concat(chunks).toString('utf8');
    } else if (/^[A-Za-z_]\w*$/.test(top) && inside.length > 0) imports.add(top);
    else {
      const module = /^([A-Za-z_]\w*)(?:\.[^/]*)?\.(?:py|so)$/.exec(top)?.[1];
      if (module !== undefined && inside.length === 0) imports.add(module);
    }
  }
  if (metadata === undefined) throw new Error('it is no wheel: it has no metadata');
  // Behind the first empty line stands a text of its author.
  const lines = (metadata.split(/\r?\n\r?\n/)[0] ?? '').split(/\r?\n/);
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2).trim());
  return { requires: valuesOf('Requires-Dist'), requiresPython: valuesOf('Requires-Python')[0], imports: [...imports] };
}
