import type { LocalizedText } from '../../model/values/text.ts'

/** Owner-facing texts for when the form cannot be used as it is. */
export const refusals = {
  noAddress: {
    en: 'This is not an address that we can use. Example: https://bank.example.com',
    'fr-CA': 'Cette adresse ne peut pas être utilisée. Exemple : https://banque.exemple.com',
  },
  unreachable: {
    en: 'No server answered at this address. Check it, and that the server can be reached from the Internet.',
    'fr-CA': 'Aucun serveur n’a répondu à cette adresse. Vérifiez-la, ainsi que l’accès au serveur depuis Internet.',
  },
  notFineract: {
    en: 'There is a server at this address, but it is not Fineract.',
    'fr-CA': 'Un serveur répond à cette adresse, mais ce n’est pas Fineract.',
  },
  noTenant: {
    en: 'The server does not know this tenant. Capital letters count.',
    'fr-CA': 'Le serveur ne connaît pas ce locataire (tenant). Les majuscules comptent.',
  },
  noToken: {
    en: 'No token could be obtained there for this user and client. Check the token address, the OAuth client and its secret.',
    'fr-CA':
      'Aucun jeton n’a pu y être obtenu pour cet utilisateur et ce client. Vérifiez l’adresse des jetons, le client OAuth et son secret.',
  },
  wrongPassword: {
    en: 'The server did not accept this user and password.',
    'fr-CA': 'Le serveur n’a pas accepté cet utilisateur et ce mot de passe.',
  },
  noAccess: {
    en: 'This user may not read clients and their accounts. Ask your lender for read rights.',
    'fr-CA': 'Cet utilisateur ne peut pas lire les clients et leurs comptes. Demandez des droits de lecture à votre prêteur.',
  },
  noClient: {
    en: 'There is no client with this number that this user may see.',
    'fr-CA': 'Aucun client portant ce numéro n’est visible pour cet utilisateur.',
  },
} satisfies Record<string, LocalizedText>
