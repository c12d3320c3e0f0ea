import { ConfigurationError, type Clock, type Configuration } from '@platform-backend/core';
import { attachment } from './disposition.ts';
import type { DirectoryStore, DirectoryStoreOptions } from './embedded/directory-store.ts';
import type { UrlSigner } from './embedded/url-signer.ts';
import { fileNotFound } from './errors.ts';
import type { ByteRange, ObjectFacts, ObjectStore } from './object-store.ts';
import type { objectSettings } from './settings.ts';

export interface Objects {
  readonly store: ObjectStore;
  /** Behind URLs that lead to the platform itself; undefined where they lead to S3. */
  readonly localEndpoint: LocalObjectEndpoint | undefined;
}

/** How bytes come in and go out through the platform, for whoever has a ticket. */
export interface LocalObjectEndpoint extends Pick<UrlSigner, 'readUpload'>, Pick<DirectoryStore, 'receive'> {
  /** @throws `forbidden` for a ticket that is no permission, and `not_found` where the object was removed. */
  open(ticket: string): Promise<StoredFile>;
}

/** An object as a file to be saved. */
export interface StoredFile extends Required<ObjectFacts> {
  /** The header `Content-Disposition`. */
  readonly disposition: string;
  /** To be called once; without a range, all of it. */
  readonly read: (signal: AbortSignal, range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
}

/**
 * The store that the settings name, for this service alone. S3's client is loaded only where it is used. `paths`: where the service
 * takes and gives bytes, if it is the platform itself that clients bring them to.
 */
export async function openObjects(
  settings: Configuration<typeof objectSettings>,
  clock: Clock,
  service: string,
  paths?: DirectoryStoreOptions['paths'],
): Promise<Objects> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (bucket !== undefined) {
    if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
      throw new ConfigurationError([
        'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: set both, or neither.',
      ]);
    const credentials =
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
    const { s3Store } = await import('./s3/s3-store.ts');
    const store = s3Store({
      bucket,
      region: settings.S3_REGION,
      endpoint: settings.S3_ENDPOINT,
      publicEndpoint: settings.S3_PUBLIC_ENDPOINT,
      credentials,
      pathStyle: settings.S3_PATH_STYLE,
    });
    return { store, localEndpoint: undefined };
  }
  const { OBJECTS_DIRECTORY: directory, OBJECTS_KEY: key, PLATFORM_PUBLIC_URL: publicUrl } = settings;
  if (directory === undefined || key === undefined || publicUrl === undefined)
    throw new ConfigurationError([
      'Objects have no place: set S3_BUCKET, or OBJECTS_DIRECTORY with OBJECTS_KEY and PLATFORM_PUBLIC_URL.',
    ]);
  const [{ directoryStore }, { urlSigner: urlSignerOf }] = await Promise.all([
    import('./embedded/directory-store.ts'),
    import('./embedded/url-signer.ts'),
  ]);
  const tickets = urlSignerOf({ key, otherKey: settings.OBJECTS_KEY_OTHER }, clock, service);
  const store = await directoryStore({ directory, tickets, publicUrl, paths });
  return { store, localEndpoint: localEndpointOf(store, tickets) };
}

const localEndpointOf = (store: DirectoryStore, tickets: UrlSigner): LocalObjectEndpoint => ({
  readUpload: (ticket) => tickets.readUpload(ticket),
  receive: (...upload) => store.receive(...upload),
  async open(ticket) {
    const { key, filename } = tickets.readDownload(ticket);
    const facts = await store.head(key);
    if (!facts) throw fileNotFound();
    return {
      ...facts,
      disposition: attachment(filename),
      read: (signal, range) => store.read(key, { signal, range }),
    };
  },
});
