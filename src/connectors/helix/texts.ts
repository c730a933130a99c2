import type { LocalizedText } from '../../model/values/text.ts'
import { otherSoftware } from '../toolkit/typed-address.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  unreachable: {
    en: 'No server answered at this address. Check it.',
    'fr-CA': 'Aucun serveur n’a répondu à cette adresse. Vérifiez-la.',
  },
  notHelix: otherSoftware('Helix'),
  wrongKey: {
    en: 'Helix did not accept this key and secret, or not from our address. Keys are bound to a list of addresses: ask the program to add ours.',
    'fr-CA':
      'Helix n’a pas accepté cette clé et ce secret, ou pas depuis notre adresse. Les clés sont liées à une liste d’adresses : demandez au programme d’y ajouter la nôtre.',
  },
  noCustomer: {
    en: 'The program has no customer with this number.',
    'fr-CA': 'Le programme n’a aucun client portant ce numéro.',
  },
} satisfies Record<string, LocalizedText>
