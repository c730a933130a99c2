import { fr } from '../../model/texts/french.ts'
import { french } from '../../model/texts/plural.ts'
import type { banksEn } from './banks-en.ts'

const { count } = french

/** Le choix d’une institution, et celle qui n’y est pas. */
export const banksFrCa: typeof banksEn = {
  bank: {
    title: 'Choisissez votre institution financière',
    label: 'Nom de votre banque ou de votre caisse',
    hint: 'Son numéro d’acheminement convient aussi.',
    search: 'Rechercher',
    suggestions: 'Institutions correspondantes',
    popular: 'Les plus choisies',
    all: 'Toutes les institutions',
    found: (n) => count(n, 'institution trouvée', 'institutions trouvées'),
    foundSome: (n, shown) => fr`${count(n, 'institution trouvée', 'institutions trouvées')}; les ${shown} premières sont affichées`,
    keys: 'Choisissez à l’aide des flèches du clavier.',
    none: (search) => fr`Aucune institution ne correspond à « ${search} ».`,
    noneNext: [
      'Essayez une partie plus courte du nom, par exemple son premier mot.',
      'Son numéro d’acheminement permet aussi de la trouver.',
    ],
    unread: 'La liste n’a pas pu être consultée. Appuyez sur Rechercher.',
    emptyDirectory: (service) =>
      fr`La liste des institutions n’est pas encore disponible. Continuez et choisissez la vôtre dans ${service}.`,
    pages: 'Pages de la liste',
    earlier: 'Précédent',
    later: 'Suivant',
    allCountries: 'Afficher les institutions de tous les pays',
    otherTitle: 'Elle n’est pas dans la liste?',
    missing: 'Mon institution n’y est pas',
    skip: (service) => fr`Continuer et choisir dans ${service}`,
  },
  heldBank: {
    before: (bank, through, since) =>
      fr`Une connexion à ${bank} existe déjà (${through}, depuis le ${since}). Continuez seulement pour ajouter des comptes qui ne sont pas encore partagés : il n’est pas nécessaire de partager deux fois les mêmes comptes.`,
    after: (bank, through, since) =>
      fr`Une autre connexion à ${bank} existe (${through}, depuis le ${since}). Si les deux partagent les mêmes comptes, vous pouvez mettre fin à l’une ou à l’autre sur votre page personnelle.`,
  },
  missing: {
    title: 'Parlez-nous de votre institution',
    intro: (requester) => fr`Nous notons votre institution et la transmettons à ${requester}.`,
    name: 'Nom de l’institution',
    nameNeeded: 'Entrez le nom de votre institution.',
    country: 'Pays',
    countries: { CA: 'Canada', US: 'États-Unis', other: 'Autre pays' },
    website: 'Site Web',
    send: 'Envoyer',
    back: 'Retour à la liste',
    sentTitle: 'Merci, nous avons noté votre institution',
    sentText: (bank, requester) =>
      fr`Votre demande pour ${bank} a été transmise à ${requester}. Rien n’a été connecté et rien n’a été communiqué.`,
    nextTitle: 'La suite',
    nextAnswer: (requester) => fr`${requester} voit votre demande et vérifie si l’institution peut être ajoutée.`,
    nextLink: (requester) => fr`Si oui, ${requester} vous en avise, puis vous rouvrez votre lien ou en recevez un nouveau.`,
    nextOther: (service) => fr`Entre-temps, vous pouvez vérifier si ${service} connaît votre institution sous un autre nom.`,
    uploadTitle: 'Inutile d’attendre',
    uploadText: (requester) =>
      fr`Téléchargez des relevés à partir du site de votre institution, puis transmettez-les ici à ${requester}. Cela fonctionne avec toute institution qui offre des fichiers.`,
    upload: 'Téléverser plutôt des relevés',
  },
}
