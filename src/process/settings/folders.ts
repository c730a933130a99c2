import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { InvalidCertificate, readIdentity, type TlsFiles } from '../tls/certificate.ts'

/** Checks of folders and files in settings; changes nothing. */
export interface Folders {
  isFolder(path: string): boolean
  /** Why this user cannot store data in a folder, existing or not; null if they can. `path` is absolute. */
  findDataFault(path: string): string | null
  /** Why certificate and key cannot be used, with the names of the settings; empty if they can. */
  findTlsFaults(files: TlsFiles): readonly string[]
}

export const systemFolders: Folders = {
  isFolder: (path) => kindOf(path) === 'folder',
  findDataFault: (path) => {
    const existing = findExisting(path)
    const isThere = existing === path
    if (kindOf(existing) === 'file')
      return isThere ? 'is a file, not a folder' : `cannot be made: ${JSON.stringify(existing)} is a file, not a folder`
    const code = refusalOf(existing)
    if (code === null) return null
    return isThere
      ? `cannot be read and written by this user (${code})`
      : `cannot be made in ${JSON.stringify(existing)} by this user (${code})`
  },
  findTlsFaults: (files) => {
    try {
      readIdentity(files, new Date())
      return []
    } catch (error) {
      if (error instanceof InvalidCertificate) return error.faults
      throw error
    }
  },
}

/** The path, or the nearest folder or file above it that exists. */
function findExisting(path: string): string {
  const above = dirname(path)
  return kindOf(path) !== null || above === path ? path : findExisting(above)
}

function kindOf(path: string): 'folder' | 'file' | null {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    return null
  }
}

/** Code of the error with which this user is refused; null: none. */
function refusalOf(folder: string): string | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  }
}
