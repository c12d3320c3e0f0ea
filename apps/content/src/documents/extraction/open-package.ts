import type { Archive } from './archive.ts';
import { readXml } from './xml.ts';

/** What a zip archive says it is, as OpenDocument files and books do; empty where it says nothing. */
export async function declaredTypeOf(archive: Archive): Promise<string> {
  if (!archive.has('mimetype')) return '';
  let type = '';
  for await (const chunk of archive.read('mimetype')) {
    type += chunk.toString('latin1');
    if (type.length > 200) return '';
  }
  return type.trim();
}

/** The values of an attribute of elements of this name in a part; none where there is no such part. */
export async function valuesIn(archive: Archive, part: string, element: string, name: string): Promise<Set<string>> {
  const values = new Set<string>();
  if (!archive.has(part)) return values;
  await readXml(archive.read(part), {
    open: (found, attributes) => {
      if (found === element) values.add(attributes[name] ?? '');
    },
  });
  return values;
}
