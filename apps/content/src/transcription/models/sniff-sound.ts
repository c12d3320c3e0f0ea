import { fileTypeFromFile } from 'file-type';
import { noAudio } from '../domain/errors.ts';
import type { SoundType } from '../domain/speech.ts';

/** What bytes are taken for, by the kinds of sound that we read. A film with sound in it is one as well. */
const kinds: Readonly<Record<string, SoundType>> = {
  'audio/flac': 'audio/flac',
  'audio/mp4': 'audio/mp4',
  'audio/mpeg': 'audio/mpeg',
  'audio/ogg': 'audio/ogg',
  'audio/wav': 'audio/wav',
  'audio/webm': 'audio/webm',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'video/mp4': 'audio/mp4',
  'video/webm': 'audio/webm',
  'video/matroska': 'audio/webm',
};

/** What a file is by its bytes, whatever it is called. UNSUPPORTED_MEDIA: no sound that we read. */
export async function soundTypeOf(path: string): Promise<SoundType> {
  const found = await fileTypeFromFile(path);
  const [mime = ''] = (found?.mime ?? '').split(';');
  const kind = kinds[mime];
  if (kind === undefined) throw noAudio();
  return kind;
}
