import { MAX_DOCUMENT_BYTES } from '../bson/codec.ts';
import { toDocument } from '../bson/values.ts';
import { USER } from '../server/authentication.ts';
import { reading, type Handler } from '../server/command.ts';
import { MAX_MESSAGE_BYTES } from '../server/wire.ts';

/** The version whose behaviour is meant. */
export const VERSION = '7.0.0';
const WIRE_VERSION = 21;
const SET_NAME = 'embedded';

const hello = reading(({ address, connectionId, command, authentication }) => ({
  helloOk: true,
  // Drivers that know `helloOk` use the other name afterwards.
  ...(command.has('hello') ? {} : { ismaster: true }),
  isWritablePrimary: true,
  setName: SET_NAME,
  setVersion: 1,
  hosts: [address],
  primary: address,
  me: address,
  secondary: false,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  maxMessageSizeBytes: MAX_MESSAGE_BYTES,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  connectionId,
  minWireVersion: 0,
  maxWireVersion: WIRE_VERSION,
  readOnly: false,
  ...authentication.greeting(connectionId, command),
}));

const nothing = reading(() => ({}));

const startedAt = Date.now();

const buildInfo = reading(() => ({
  version: VERSION,
  versionArray: [...VERSION.split('.').map(Number), 0],
  gitVersion: 'embedded',
  modules: ['embedded'],
  bits: 64,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
}));

export const administration: Readonly<Record<string, Handler>> = {
  hello,
  isMaster: hello,
  ismaster: hello,
  ping: nothing,
  endSessions: nothing,
  refreshSessions: nothing,
  buildInfo,
  buildinfo: buildInfo,
  serverStatus: reading(() => ({
    version: VERSION,
    process: 'embedded-mongo',
    pid: process.pid,
    uptime: Math.floor((Date.now() - startedAt) / 1000),
    storageEngine: toDocument({ name: 'sqlite', persistent: true }),
  })),
  connectionStatus: reading(() => ({
    authInfo: toDocument({
      authenticatedUsers: [toDocument({ user: USER, db: 'admin' })],
      authenticatedUserRoles: [toDocument({ role: 'root', db: 'admin' })],
    }),
  })),
};
