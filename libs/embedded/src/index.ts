export { freePort } from './processes/free-port.ts';
export type { LongStartOptions, StartSign } from './processes/long-start.ts';
export { startMongod, type Mongod, type MongodOptions } from './mongo/mongod.ts';
export { describeMongo, mongoDatabaseUrl } from './mongo/mongo-url.ts';
export {
  downloadMongod,
  failureOf,
  findMongod,
  mongodAt,
  type MongodBinary,
  type MongodSearch,
} from './mongo/mongod-binary.ts';
export { embeddedMongoProgram, startEmbeddedMongo } from './mongo/embedded-mongo.ts';
export { startNats, type Nats, type NatsOptions } from './nats/nats.ts';
export { natsBinary } from './nats/nats-binary.ts';
export { startPostgres, type Postgres, type PostgresOptions } from './postgres/postgres.ts';
export { isAlive, startTimeOf } from './processes/process-identity.ts';
export {
  createServiceDatabase,
  dropServiceDatabase,
  serviceDatabase,
  type ServiceDatabase,
  type ServiceDatabaseRequest,
} from './postgres/service-database.ts';
export {
  describeExit,
  endOrphan,
  runToEnd,
  StartFailure,
  supervise,
  type Exit,
  type SupervisedProcess,
  type Supervision,
} from './processes/supervise.ts';
export { unprivilegedUser, type SystemUser } from './postgres/system-user.ts';
