import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sameBudgets } from './index-parts.ts';
import {
  linesIn,
  numbersIn,
  piecesOfLines,
  piecesOfNumbers,
  readSnapshot,
  readSnapshotPart,
  type SnapshotHeader,
  writeSnapshot,
} from './snapshot-file.ts';

const header: SnapshotHeader = {
  ...{ organisationId: 'org', part: 'content', model: 'm', budgets: sameBudgets(10), made: 'x', position: 1_000 },
};

describe('the file of a snapshot', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
    file = join(folder, 'made', 'org.content.index');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const lines = Array.from({ length: 100_000 }, (_, at) => `line ${String(at)} é 技`);
  const numbers = Array.from({ length: 100_000 }, (_, at) => at * at - 1e6);
  const parts = () => ({
    lines: piecesOfLines(lines),
    odd: [Uint8Array.of(1, 2, 3)],
    numbers: piecesOfNumbers([numbers]),
  });

  it('has all that was written, for the owner alone, and nothing else lies beside it', async () => {
    await writeSnapshot(file, header, parts());
    const snapshot = readSnapshot(file);
    expect(snapshot?.header).toMatchObject(header);
    expect([...linesIn(snapshot?.part('lines') ?? new Uint8Array())]).toEqual(lines);
    expect([...numbersIn(snapshot?.part('numbers') ?? new Uint8Array())]).toEqual(numbers.map((number) => number | 0));
    expect(() => snapshot?.part('others')).toThrow('it has no others');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'made'))).toEqual(['org.content.index']);
    const part = await readSnapshotPart(file, 'odd');
    expect(part?.header).toMatchObject(header);
    expect([...(part?.part ?? [])]).toEqual([1, 2, 3]);
  });

  it('is none where any of it is damaged or missing', async () => {
    await writeSnapshot(file, header, parts());
    const whole = readFileSync(file);
    const damaged = join(folder, 'damaged');
    const offsets = Array.from({ length: 50 }, (_, at) => Math.floor((at * (whole.length - 1)) / 49));
    for (const offset of offsets) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(whole.readUInt8(offset) ^ 1, offset);
      writeFileSync(damaged, bytes);
      expect(readSnapshot(damaged)).toBeUndefined();
      writeFileSync(damaged, whole.subarray(0, offset));
      expect(readSnapshot(damaged)).toBeUndefined();
      expect(await readSnapshotPart(damaged, 'odd')).toBeUndefined();
    }
    expect(readSnapshot(join(folder, 'none'))).toBeUndefined();
    expect(await readSnapshotPart(join(folder, 'none'), 'odd')).toBeUndefined();
  });

  it('stays what it was where another one cannot be written', async () => {
    await writeSnapshot(file, header, parts());
    const before = readFileSync(file);
    function* broken(): Generator<Uint8Array> {
      yield new Uint8Array(1_000);
      throw new Error('no room');
    }
    await expect(writeSnapshot(file, header, { broken: broken() })).rejects.toThrow('no room');
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(join(folder, 'made'))).toEqual(['org.content.index']);
  });
});
