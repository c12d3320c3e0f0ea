import { ConfigurationError, type Clock, type Configuration } from '@platform/core';
import type { DirectoryStore, DirectoryStoreOptions } from './embedded/directory-store.ts';
import type { Tickets } from './embedded/tickets.ts';
import type { ObjectStore } from './object-store.ts';
import type { objectSettings } from './settings.ts';

export interface Objects {
  readonly store: ObjectStore;
  /** Behind URLs that lead to the platform itself; undefined where they lead to S3. */
  readonly door: Door | undefined;
}

/** How bytes come in and go out through the platform, for whoever has a ticket. */
export type Door = Pick<Tickets, 'readUpload' | 'readDownload'> & Pick<DirectoryStore, 'receive'>;

/**
 * The store that the settings name. S3's client is loaded only where it is used. `paths`: where this service takes and
 * gives bytes, if it is the platform itself that clients bring them to.
 */
export async function openObjects(
  settings: Configuration<typeof objectSettings>,
  clock: Clock,
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
    return { store, door: undefined };
  }
  const { OBJECTS_DIRECTORY: directory, OBJECTS_KEY: key, PLATFORM_PUBLIC_URL: publicUrl } = settings;
  if (directory === undefined || key === undefined || publicUrl === undefined)
    throw new ConfigurationError([
      'Objects have no place: set S3_BUCKET, or OBJECTS_DIRECTORY with OBJECTS_KEY and PLATFORM_PUBLIC_URL.',
    ]);
  const [{ directoryStore }, { ticketsOf }] = await Promise.all([
    import('./embedded/directory-store.ts'),
    import('./embedded/tickets.ts'),
  ]);
  const tickets = ticketsOf(key, clock);
  const store = await directoryStore({ directory, tickets, publicUrl, paths });
  return { store, door: { ...tickets, receive: (...upload) => store.receive(...upload) } };
}
