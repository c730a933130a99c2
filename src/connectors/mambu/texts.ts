import type { LocalizedText } from '../../model/values/text.ts'
import { otherSoftware } from '../toolkit/typed-address.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  unreachable: {
    en: 'No server answered at this address. Check the tenant’s name.',
    'fr-CA': 'Aucun serveur n’a répondu à cette adresse. Vérifiez le nom du locataire (tenant).',
  },
  notMambu: otherSoftware('Mambu'),
  wrongKey: {
    en: 'Mambu did not accept this API key. It may have expired: ask your bank for another one.',
    'fr-CA': 'Mambu n’a pas accepté cette clé API. Elle a peut-être expiré : demandez-en une autre à votre banque.',
  },
  noAccess: {
    en: 'This API key may not read clients and their accounts, or not from our address. Ask your bank for read permissions.',
    'fr-CA':
      'Cette clé API ne peut pas lire les clients et leurs comptes, ou pas depuis notre adresse. Demandez des droits de lecture à votre banque.',
  },
  noHolder: {
    en: 'There is no client and no group with this ID.',
    'fr-CA': 'Il n’y a ni client ni groupe portant cet identifiant.',
  },
} satisfies Record<string, LocalizedText>
