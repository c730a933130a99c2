/** Code of `StorageRefused`: what the upload held is not there any more, so it begins anew. */
export const NO_SUCH_UPLOAD = 'NoSuchUpload'

/** Part of an upload: `number` from 1, `start` is its place in the object. */
export interface PartPosition {
  number: number
  start: number
}

/** One object of a destination: a whole one is seen there, or none. All throw `StorageRefused`. */
export interface DeliveredObject {
  put(body: Uint8Array): Promise<void>
  /** Begins an upload in parts; returns its id. */
  begin(): Promise<string>
  /** Returns the tag of the part; one that is there already is replaced. */
  putPart(uploadId: string, at: PartPosition, body: Uint8Array): Promise<string>
  finish(uploadId: string, tags: readonly string[], bytes: number): Promise<void>
  /** Drops the parts of an unfinished upload, if there is one. */
  abort(uploadId: string): Promise<void>
  /** Throws `VersionKept`. */
  remove(): Promise<void>
  close(): void
}
