import { eventStoreSuite } from '@platform-backend/events/testing';
import { postgresStorage } from './event-store.ts';

eventStoreSuite(postgresStorage);
