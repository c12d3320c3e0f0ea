import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { expectOk, type Person } from './people.ts';

interface Uploaded {
  readonly signed_url: string;
  readonly dataset_id: string;
}

/** A dataset of a CSV file, once it is read. Answers its id. */
export async function uploadDataset(person: Person, name: string, csv: string): Promise<string> {
  const body = { id: randomUUID(), name, format: 'CSV' };
  const { signed_url: url, dataset_id: id } = expectOk(
    await person.call<Uploaded>('POST', '/datasets/upload/', { body }),
  );
  const put = await fetch(url, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: csv });
  if (!put.ok) throw new Error(`the upload was answered with ${put.status}`);
  const status = async () => {
    const { upload } = expectOk(await person.call<{ upload: { status: string } | null }>('GET', `/datasets/${id}/`));
    return upload?.status;
  };
  await waitFor(async () => (await status()) === 'READY', { what: 'the reading of the file' });
  return id;
}
