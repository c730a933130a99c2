import { readServedDocuments } from '../docs/api-document.ts'
import { toBruno } from './bruno.ts'
import { toPostman } from './postman.ts'
import { type Folder, listFolders } from './requests.ts'

/** Where the collections are, in the project. */
export const COLLECTIONS = 'docs/api/collections'

/** Requests of the present documents, in folders, and their version. */
export async function readFolders(): Promise<{ folders: Folder[]; version: string }> {
  const { openapi = '', administration = '' } = await readServedDocuments()
  const document = JSON.parse(openapi)
  return { folders: listFolders([document, JSON.parse(administration)]), version: document.info.version }
}

/** Collections for Postman and Bruno of the present documents: their files, by path in `COLLECTIONS`. */
export async function listCollections(): Promise<Map<string, string>> {
  const { folders, version } = await readFolders()
  const postman = `${JSON.stringify(toPostman(folders, version), null, 1)}\n`
  return new Map([
    ['countinghouse.postman_collection.json', postman],
    ...[...toBruno(folders)].map(([path, text]): [string, string] => [`bruno/${path}`, text]),
  ])
}
