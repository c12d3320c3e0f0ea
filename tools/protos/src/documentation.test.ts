import { describe, expect, it } from '@jest/globals';
import { loadProtos, protosDirectory } from '@platform-backend/contract';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lackingDocumentation } from './documentation.ts';

/** What is said of a package with one operation, and what its files leave out. */
function lackingIn({
  rpc = '',
  text = '',
  recurring = '',
}: {
  rpc?: string;
  text?: string;
  recurring?: string;
}): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'documented-'));
  try {
    mkdirSync(path.join(folder, 'platform/notes/v1'), { recursive: true });
    writeFileSync(
      path.join(folder, 'platform/notes/v1/notes.proto'),
      `syntax = "proto3";
package platform.notes.v1;
import "google/api/annotations.proto";
import "platform/options/v1/options.proto";

service NoteService {
  ${rpc}
  rpc CreateNote(CreateNoteRequest) returns (Note) {
    option (google.api.http) = { post: "/notes/" body: "*" };
    option (platform.options.v1.access) = { credentials: [CREDENTIAL_KIND_TOKEN] level: PERMISSION_LEVEL_EDITOR };
  }
}

message Note {
  string id = 1;
  ${text}
}

message CreateNoteRequest {
  string text = 1;
}

message RecurringFields {
  ${recurring}
}
`,
    );
    return lackingDocumentation(loadProtos(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const described = {
  rpc: '// Writes a note down.',
  text: `// What it says.\n  string title = 2 [(platform.options.v1.example_json) = '"Milk"'];`,
};

describe('what the documentation of a contract lacks', () => {
  it('is nothing in the contract of the platform', () => {
    expect(lackingDocumentation(loadProtos(protosDirectory))).toEqual([]);
  });

  it('is reported of each operation, field and text without an example, with where to write it', () => {
    expect(lackingIn({ text: 'string motto = 2;' })).toEqual([
      'platform.notes.v1.NoteService/CreateNote has no comment: say what it does',
      'platform.notes.v1.CreateNoteRequest.text has no comment: say what it means, there or in RecurringFields of its package (recurring_fields.proto)',
      'platform.notes.v1.Note.motto has no comment: say what it means, there or in RecurringFields of its package (recurring_fields.proto)',
      'platform.notes.v1.Note.motto has no example: give it (platform.options.v1.example_json), there or in RecurringFields of its package',
    ]);
  });

  it('is an error of an operation that its comment names and no option declares', () => {
    const recurring = '// What it says.\n  string text = 1;';
    expect(lackingIn({ ...described, recurring, rpc: '// Writes a note down. CONFLICT: there is one.' })).toEqual([
      'platform.notes.v1.NoteService/CreateNote says CONFLICT in words: give it the option (platform.options.v1.errors), which the documents show',
    ]);
  });

  it('is the error for unknown ids in a path, where none is declared', () => {
    const rpc = `// One note.
  rpc GetNote(GetNoteRequest) returns (Note) {
    option (google.api.http) = { get: "/notes/{id}/" };
    option (platform.options.v1.access) = { credentials: [CREDENTIAL_KIND_TOKEN] level: PERMISSION_LEVEL_VIEWER };
  }
  // Writes a note down.`;
    const recurring = '// What it says.\n  string text = 1;';
    const text = `${described.text}\n}\nmessage GetNoteRequest {\n  string id = 1;`;
    expect(lackingIn({ rpc, text, recurring })).toEqual([
      'platform.notes.v1.NoteService/GetNote has ids in its path, and does not say by (platform.options.v1.errors) how unknown ones are refused',
    ]);
  });

  it('is an example of bytes that are a whole body, for each media type that they may have', () => {
    const rpc = `// A note as a file.
  rpc ExportNote(ExportNoteRequest) returns (stream NoteFile) {
    option (google.api.http) = { get: "/notes/export/" response_body: "chunk" };
    option (platform.options.v1.http_answer) = { streamed_types: ["text/markdown", "text/html"] };
    option (platform.options.v1.access) = { credentials: [CREDENTIAL_KIND_TOKEN] level: PERMISSION_LEVEL_VIEWER };
  }
  // Writes a note down.`;
    const recurring = '// What it says.\n  string text = 1;';
    const lackingOf = (example: string) => {
      const text = `${described.text}\n}\nmessage ExportNoteRequest {}\nmessage NoteFile {\n  // Its text.\n  bytes chunk = 1${example};`;
      return lackingIn({ rpc, text, recurring });
    };
    const lack = (mediaType: string) =>
      `platform.notes.v1.NoteFile.chunk has no example of ${mediaType}: give it (platform.options.v1.example_json), a text or one for each media type`;
    expect(lackingOf('')).toEqual([lack('text/markdown'), lack('text/html')]);
    const option = (json: string) => ` [(platform.options.v1.example_json) = '${json}']`;
    expect(lackingOf(option('{"text/markdown": "# Milk"}'))).toEqual([lack('text/html')]);
    expect(lackingOf(option('"Milk"'))).toEqual([]);
  });

  it('is nothing where the answer, or the package for all its messages, describes a field', () => {
    const recurring = '// What it says.\n  string text = 1;';
    expect(lackingIn({ ...described, recurring })).toEqual([]);
    const text = `// What it says.\n  string text = 2 [(platform.options.v1.example_json) = '"Milk"'];`;
    expect(lackingIn({ ...described, text })).toEqual([]);
  });
});
