/** MongoDB's own driver, for what is measured or looked at beside ours. */
export { mongo as driver } from 'mongoose';
export { embedded, realEngine } from './engines.ts';
export { mongoWithSearch } from './mongo-with-search.ts';
export { openDatabaseContent, recordedEvents, type DatabaseContent } from './stored-documents.ts';
export { throwawayMongo, throwawayMongoOn, type ThrowawayMongo } from './throwaway-mongo.ts';
export { watchQueries } from './watched-queries.ts';
