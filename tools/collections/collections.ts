import { readServedDocuments } from '../docs/api-document.ts'
import { toBruno } from './bruno.ts'
import { toPostman } from './postman.ts'
import { listFolders } from './requests.ts'

/** Where the collections are, in the project. */
export const COLLECTIONS = 'docs/api/collections'

/** Collections for Postman and Bruno of the present documents: their files, by path in `COLLECTIONS`. */
export async function listCollections(): Promise<Map<string, string>> {
  const { openapi = '', administration = '' } = await readServedDocuments()
  const document = JSON.parse(openapi)
  const folders = listFolders([document, JSON.parse(administration)])
  const postman = `${JSON.stringify(toPostman(folders, document.info.version), null, 1)}\n`
  return new Map([
    ['countinghouse.postman_collection.json', postman],
    ...[...toBruno(folders)].map(([path, text]): [string, string] => [`bruno/${path}`, text]),
  ])
}
