/**
 * Prelinking of a shared library (ELF, x86-64). The engine's library names tens of thousands of its own symbols, and the
 * loader of every process looks each of them up by name, in case another library wants to be asked instead. Nobody
 * does: where the library itself has the symbol, its address can be noted down beforehand, as `-Bsymbolic` has it done.
 */
import type { FileHandle } from 'node:fs/promises';

/** Resolves the references of a library to itself, in its file. False, and nothing changed, where it is of another kind. */
export async function prelink(library: FileHandle): Promise<boolean> {
  const bytesAt = async (offset: number, length: number): Promise<Buffer> =>
    (await library.read(Buffer.alloc(length), 0, length, offset)).buffer;
  const header = await bytesAt(0, HEADER_BYTES);
  if (!isKnown(header)) return false;
  const segments = segmentsOf(await bytesAt(numberAt(header, 32), header.readUInt16LE(56) * SEGMENT_BYTES));
  const { offset, bytes } = segments.find(({ type }) => type === DYNAMIC) ?? { offset: 0, bytes: 0 };
  const dynamic = await bytesAt(offset, bytes);
  const [symbols, table, tableBytes, lazyTable, lazyBytes] = wantedTags.map((tag) => entryOf(dynamic, tag));
  // The table of what is looked up when it is first called follows the other: together they are one.
  if (!symbols || !table || !tableBytes || !lazyTable || !lazyBytes) return false;
  if (lazyTable.value !== table.value + tableBytes.value) return false;
  const tableAt = offsetOf(table.value, segments);
  const relocations = await bytesAt(tableAt, tableBytes.value + lazyBytes.value);
  const symbolBytes = (greatestSymbolOf(relocations) + 1) * SYMBOL_BYTES;
  resolve(relocations, await bytesAt(offsetOf(symbols.value, segments), symbolBytes));
  dynamic.writeBigUInt64LE(BigInt(relocations.length), tableBytes.at);
  dynamic.writeBigUInt64LE(0n, lazyBytes.at);
  await library.write(relocations, 0, relocations.length, tableAt);
  await library.write(dynamic, 0, dynamic.length, offset);
  return true;
}

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 24;
const DYNAMIC_ENTRY_BYTES = 16;

/** `\x7fELF`, of 64 bits, the lesser byte first. */
const KNOWN_BEGINNING = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const MACHINE_X86_64 = 62;

const isKnown = (header: Buffer): boolean =>
  header.subarray(0, KNOWN_BEGINNING.length).equals(KNOWN_BEGINNING) && header.readUInt16LE(18) === MACHINE_X86_64;

/** PT_LOAD and PT_DYNAMIC. */
const LOADED = 1;
const DYNAMIC = 2;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

const segmentsOf = (table: Buffer): Segment[] =>
  Array.from({ length: table.length / SEGMENT_BYTES }, (_, index) => {
    const at = index * SEGMENT_BYTES;
    const [offset, address, bytes] = [8, 16, 32].map((field) => numberAt(table, at + field)) as [
      number,
      number,
      number,
    ];
    return { type: table.readUInt32LE(at), offset, address, bytes };
  });

/** Where in the file lies what is loaded to an address. */
function offsetOf(address: number, segments: readonly Segment[]): number {
  const segment = segments.find(
    (one) => one.type === LOADED && address >= one.address && address < one.address + one.bytes,
  );
  if (!segment) throw new Error(`nothing of the library is loaded to ${address}`);
  return address - segment.address + segment.offset;
}

/** DT_SYMTAB, DT_RELA, DT_RELASZ, DT_JMPREL and DT_PLTRELSZ. */
const wantedTags = [6, 7, 8, 23, 2];

/** The value of a tag, and where it stands. */
function entryOf(dynamic: Buffer, tag: number): { readonly value: number; readonly at: number } | undefined {
  for (let at = 0; at < dynamic.length; at += DYNAMIC_ENTRY_BYTES)
    if (numberAt(dynamic, at) === tag) return { value: numberAt(dynamic, at + 8), at: at + 8 };
  return undefined;
}

function greatestSymbolOf(relocations: Buffer): number {
  let greatest = 0;
  for (let at = 0; at < relocations.length; at += RELOCATION_BYTES)
    greatest = Math.max(greatest, relocations.readUInt32LE(at + 12));
  return greatest;
}

/** R_X86_64_*: the address of a symbol, to the first of which something is added; and an address in the library itself. */
const kinds = { ABSOLUTE_64: 1, GLOB_DAT: 6, JUMP_SLOT: 7, RELATIVE: 8 };
const ofSymbols = new Set([kinds.ABSOLUTE_64, kinds.GLOB_DAT, kinds.JUMP_SLOT]);

/** Makes those that name a symbol of the library into such that name its address. */
function resolve(relocations: Buffer, symbols: Buffer): void {
  for (let at = 0; at < relocations.length; at += RELOCATION_BYTES) {
    const kind = relocations.readUInt32LE(at + 8);
    const symbol = relocations.readUInt32LE(at + 12) * SYMBOL_BYTES;
    if (!ofSymbols.has(kind) || !isItsOwn(symbols, symbol)) continue;
    const added = kind === kinds.ABSOLUTE_64 ? relocations.readBigInt64LE(at + 16) : 0n;
    relocations.writeUInt32LE(kinds.RELATIVE, at + 8);
    relocations.writeUInt32LE(0, at + 12);
    relocations.writeBigInt64LE(symbols.readBigInt64LE(symbol + 8) + added, at + 16);
  }
}

/** SHN_UNDEF; from SHN_LORESERVE on they are no sections. */
const UNDEFINED = 0;
const FIRST_RESERVED = 0xff00;
/** STB_GNU_UNIQUE: by its meaning one for all libraries. */
const UNIQUE = 10;
/** STT_TLS and STT_GNU_IFUNC. */
const withoutAddress = new Set([6, 10]);

function isItsOwn(symbols: Buffer, symbol: number): boolean {
  const [information, section] = [symbols.readUInt8(symbol + 4), symbols.readUInt16LE(symbol + 6)];
  if (section === UNDEFINED || section >= FIRST_RESERVED) return false;
  return information >> 4 !== UNIQUE && !withoutAddress.has(information & 15);
}

const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
