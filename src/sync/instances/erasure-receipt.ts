import { english, french } from '../../model/texts/plural.ts'
import type { Locale } from '../../model/values/text.ts'
import type { KeyRing } from '../../store/keys/key-ring.ts'
import type { SigningKey } from '../../store/keys/keys.ts'
import type { InstanceErasure } from '../../store/operators/erasures.ts'
import { leftBehindLines } from '../exports/left-behind.ts'

/** Token type: distinguishes it from receipts of owners and from anything else signed with the same keys. */
const TYPE = 'countinghouse-erasure+json'

/** What the receipt states; `objectsLeft`: objects of raw pages that the storage may still have. */
export type ErasureFacts = InstanceErasure & { objectsLeft: number }

/**
 * Signed receipt of an erasure: a compact JSON Web Signature by a key of `/.well-known/jwks.json`, with what was erased
 * in both languages.
 */
export async function signErasure(
  deps: { signing: KeyRing<SigningKey>; baseUrl: string },
  erasure: ErasureFacts,
  erasedAt: Date,
): Promise<string> {
  const { id, privateKey } = deps.signing.newest
  const { instanceId, name, kind, requestedAt, deleted, revocations, unrevoked, unreached, objectsLeft } = erasure
  const left = leftBehindLines(unreached ?? [])
  const objects = objectLines(objectsLeft)
  const rows = Object.values(deleted).reduce((sum, count) => sum + count, 0)
  const document = {
    ...{ id: erasure.id, kind: 'instance-erasure', issuedBy: deps.baseUrl, issuedAt: erasedAt.toISOString() },
    instance: { id: instanceId, name, kind },
    ...{
      requestedAt: requestedAt.toISOString(),
      erasedAt: erasedAt.toISOString(),
      deleted,
      revocations,
      unrevoked,
      unreached: unreached ?? [],
      objectsLeft,
    },
    statement: {
      en: [
        `All data of the instance “${name}” were erased from this deployment: ${english.count(rows, 'row', 'rows')}, with all stored files and ${objectsLeft > 0 ? 'the keys of all ' : ''}answers of sources.`,
        `Access was to be revoked at the sources of ${english.count(revocations, 'connection', 'connections')}; ${unrevoked} could not be told within a day.`,
        ...left.en,
        ...objects.en,
        'Backups that were made before hold the data until they are deleted.',
      ],
      'fr-CA': [
        `Toutes les données de l’instance « ${name} » ont été effacées de ce déploiement : ${french.count(rows, 'ligne', 'lignes')}, avec tous les fichiers et ${objectsLeft > 0 ? 'les clés de toutes ' : ''}les réponses des sources qui y étaient conservés.`,
        `L’accès devait être révoqué auprès des sources de ${french.count(revocations, 'connexion', 'connexions')} ; ${unrevoked} ${french.form(unrevoked, 'n’a pu en être informée', 'n’ont pu en être informées')} en une journée.`,
        ...left['fr-CA'],
        ...objects['fr-CA'],
        'Les copies de sauvegarde faites auparavant contiennent les données jusqu’à leur suppression.',
      ],
    },
  }
  const bytes = Buffer.from(JSON.stringify(document))
  const { CompactSign } = await import('jose')
  return await new CompactSign(bytes).setProtectedHeader({ alg: 'EdDSA', typ: TYPE, kid: id }).sign(privateKey)
}

/** Line about objects that could not be removed within the time of the erasure; none if there are none. */
function objectLines(count: number): Record<Locale, string[]> {
  if (count === 0) return { en: [], 'fr-CA': [] }
  return {
    en: [
      `${english.count(count, 'encrypted object', 'encrypted objects')} with answers of sources may be left in the object storage, which did not confirm the deletion; it is tried again. Without the erased keys nobody can decrypt them.`,
    ],
    'fr-CA': [
      `Il peut rester ${french.count(count, 'objet chiffré', 'objets chiffrés')} avec des réponses des sources dans le stockage d’objets, qui n’a pas confirmé la suppression ; elle est tentée de nouveau. Sans les clés effacées, personne ne peut les déchiffrer.`,
    ],
  }
}
