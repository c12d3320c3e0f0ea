/** Uploads of large files: how fast they come in, and what memory the service takes for them. */
import type { DocumentServiceClient, FileServiceClient } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, type Callers } from '@platform-backend/service/testing';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { anybody, ticketIn } from './seed.ts';

const MIB = 1024 * 1024;
/** Of each file; the service takes 50 MiB unless told otherwise. */
const FILE = 48 * MIB;
const FILES = 12;
const AT_ONCE = 4;
const PIECE = randomBytes(64 * 1024);

export interface UploadFigures {
  readonly mibPerSecond: number;
  /** The same bytes hashed and written to the disk by this process, one file after the other. */
  readonly plainMibPerSecond: number;
  readonly mibBefore: number;
  /** The most that the service has ever had. */
  readonly peakMib: number;
}

export async function measureUploads(
  { to }: Callers,
  { organisationId, pid, directory }: { organisationId: string; pid: number; directory: string },
): Promise<UploadFigures> {
  const documents = to<DocumentServiceClient<CallOptions>>('DocumentService');
  const files = to<FileServiceClient<CallOptions>>('FileService');
  const by = member(organisationId);
  const upload = async () => {
    const { signedUrl } = await documents.uploadDocument({ id: newId(), name: 'large.txt' }, by);
    const { sizeBytes } = await files.uploadFile(pieces(signedUrl), anybody);
    if (Number(sizeBytes) !== FILE) throw new Error('not all of it was taken');
  };
  await upload();
  const mibBefore = memoryOf(pid, 'VmRSS');
  const startedAt = performance.now();
  let begun = 0;
  const oneAfterTheOther = async () => {
    while ((begun += 1) <= FILES) await upload();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther));
  const mibPerSecond = perSecond(startedAt);
  const peakMib = memoryOf(pid, 'VmHWM');
  return { mibPerSecond, mibBefore, peakMib, plainMibPerSecond: await writePlainly(directory) };
}

async function* pieces(url: string) {
  yield await Promise.resolve({ ticket: ticketIn(url), contentType: 'text/plain' });
  for (let sent = 0; sent < FILE; sent += PIECE.length) yield { chunk: PIECE };
}

async function writePlainly(directory: string): Promise<number> {
  const startedAt = performance.now();
  for (let written = 0; written < FILES; written += 1) {
    const path = join(directory, `plain-${written}`);
    const hash = createHash('sha256');
    await using file = await open(path, 'wx');
    for (let bytes = 0; bytes < FILE; bytes += PIECE.length) {
      hash.update(PIECE);
      await file.writeFile(PIECE);
    }
    hash.digest();
    await file.sync();
    await rm(path);
  }
  return perSecond(startedAt);
}

const perSecond = (startedAt: number): number => (FILES * FILE) / MIB / ((performance.now() - startedAt) / 1000);

/** In MiB, as Linux counts it. */
function memoryOf(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
