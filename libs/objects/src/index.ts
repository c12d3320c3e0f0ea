export { attachment } from './disposition.ts';
export { rangeOf } from './byte-range.ts';
export { fileTransfers, type FileTransfers } from './file-transfers.ts';
export { removeLeftovers } from './leftovers.ts';
export type {
  ByteRange,
  ObjectFacts,
  ObjectStore,
  SettledObject,
  SignedUpload,
  UploadPermit,
  UploadToSettle,
} from './object-store.ts';
export { openObjects, type LocalObjectEndpoint, type Objects } from './open-objects.ts';
export { signedRead, type ForeignBucket } from './s3/signed-read.ts';
