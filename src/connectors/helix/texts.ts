import type { LocalizedText } from '../../model/values/text.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  noAddress: {
    en: 'This is not an address that we can use. Example: https://api.corepro.io',
    'fr-CA': 'Cette adresse ne peut pas être utilisée. Exemple : https://api.corepro.io',
  },
  unreachable: {
    en: 'No server answered at this address. Check it.',
    'fr-CA': 'Aucun serveur n’a répondu à cette adresse. Vérifiez-la.',
  },
  notHelix: {
    en: 'There is a server at this address, but it is not Helix.',
    'fr-CA': 'Un serveur répond à cette adresse, mais ce n’est pas Helix.',
  },
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
