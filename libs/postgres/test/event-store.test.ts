import { eventStoreSuite } from '@platform/events/testing';
import { postgresStorage } from './event-store.ts';

eventStoreSuite(postgresStorage);
