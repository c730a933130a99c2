/** Code of `StorageRefused`: the parts of the upload no longer exist, so it starts again. */
export const NO_SUCH_UPLOAD = 'NoSuchUpload'

/** Part of an upload: `number` begins at 1, `start` is its offset in the object. */
export interface PartPosition {
  number: number
  start: number
}

/** One object of a destination; readers see a complete object or none. All methods throw `StorageRefused`. */
export interface DeliveredObject {
  put(body: Uint8Array): Promise<void>
  /** Begins a multipart upload; returns its id. */
  begin(): Promise<string>
  /** Returns the tag of the part; replaces an existing part. */
  putPart(uploadId: string, at: PartPosition, body: Uint8Array): Promise<string>
  finish(uploadId: string, tags: readonly string[], bytes: number): Promise<void>
  /** Deletes the parts of an unfinished upload, if there is one. */
  abort(uploadId: string): Promise<void>
  /** Throws `VersionKept`. */
  remove(): Promise<void>
  close(): void
}
