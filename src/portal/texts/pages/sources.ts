import { english, french } from '../../../model/texts/plural.ts'
import { table } from '../language/table.ts'

export const sourceTexts = table(
  {
    lead: 'The keys that new connections use, and whether the source is offered to owners.',
    settings: (name: string) => `${name} settings`,
    set: 'Settings',
    back: 'Catalogue',
    state: 'State',
    closedBy: { noKeys: 'Keys not set', hidden: 'Hidden' },
    open: 'Available',
    keysFrom: {
      instance: 'Keys of your own app',
      deployment: 'Keys of this deployment',
      simulator: 'Sandbox: its simulator replaces it',
      none: 'None: links cannot be created until keys are set',
      unneeded: 'No keys needed: owners sign in or upload files',
    },
    whose: 'New connections use',
    connections: 'Connections',
    others: (count: number) =>
      `${english.count(count, 'connection uses', 'connections use')} another app until ${english.form(count, 'its owner connects', 'their owners connect')} again`,
    hide: 'Hide from owners',
    hideQuestion:
      'New links cannot be created and open links stop working. Existing connections are not affected. You can offer it again at any time.',
    show: 'Offer to owners',
    app: 'Keys of your own app',
    appLead:
      'Keys are tested with the source before they are saved. They are stored encrypted, never shown again, and take precedence over those of the deployment. Existing connections keep the app they were created with.',
    sandboxLead: 'In the sandbox, keys are tested with the simulator, which continues to replace the source.',
    setOn: (when: string, who: string) => `Set ${when} by ${who}. Leave blank to keep it.`,
    formerMember: 'a former member',
    example: (value: string) => `The simulator accepts ${value}`,
    optional: (label: string) => `${label} (optional)`,
    take: (label: string) => `Delete “${label}”`,
    save: 'Test and save',
    saved: {
      accepted: 'Saved. The source accepts these keys.',
      untested: 'Saved, but the keys could not be tested with the source.',
      refused: '',
    },
    savedOthers: (count: number) =>
      `${english.count(count, 'connection keeps', 'connections keep')} the app that ${english.form(count, 'it was', 'they were')} created with until ${english.form(count, 'its owner connects', 'their owners connect')} again.`,
    refused: 'The source rejects these keys; nothing was changed',
    result: {
      accepted: 'The source accepts these keys',
      refused: 'The source rejects these keys',
      untested: 'The keys could not be tested with the source',
    },
    lastTest: 'Last tested:',
    testAgain: 'Test again',
    remove: 'Delete keys',
    removeTitle: 'Delete the keys of your own app?',
    removeQuestion: (count: number) =>
      `This cannot be undone. Up to ${english.count(count, 'connection was', 'connections were')} created with this app or an earlier one; ${english.form(count, 'it stops syncing until its owner connects', 'they stop syncing until their owners connect')} again.`,
    register: 'Addresses to register',
    registerLead: 'Enter these in your app’s settings at the source.',
    callback: 'Redirect URI',
    ownCallback:
      'All sources share this address. With an address of its own, a sign-in at one source cannot be mistaken for one at another: register this one as well, then switch to it.',
    useOwn: 'Use its own address',
    useOwnQuestion:
      'Owners can connect only if the address is registered at the source. The keys are tested again. Existing connections are not affected.',
    webhook: 'Webhook URL',
  },
  {
    lead: 'Les clés des nouvelles connexions, et si la source est proposée aux propriétaires.',
    settings: (name) => `Paramètres de ${name}`,
    set: 'Paramètres',
    back: 'Catalogue',
    state: 'État',
    closedBy: { noKeys: 'Clés non définies', hidden: 'Masquée' },
    open: 'Proposée',
    keysFrom: {
      instance: 'Clés de votre propre application',
      deployment: 'Clés de ce déploiement',
      simulator: 'Bac à sable : son simulateur la remplace',
      none: 'Aucune : aucun lien n’est possible tant que les clés manquent',
      unneeded: 'Aucune clé nécessaire : les propriétaires ouvrent une session ou téléversent des fichiers',
    },
    whose: 'Les nouvelles connexions utilisent',
    connections: 'Connexions',
    others: (count) =>
      `${french.count(count, 'connexion garde', 'connexions gardent')} une autre application jusqu’à ce que ${french.form(count, 'son propriétaire se reconnecte', 'leurs propriétaires se reconnectent')}`,
    hide: 'Masquer aux propriétaires',
    hideQuestion:
      'Aucun nouveau lien ne peut être créé et les liens ouverts cessent de fonctionner. Les connexions existantes ne sont pas touchées. Vous pouvez la proposer de nouveau en tout temps.',
    show: 'Proposer aux propriétaires',
    app: 'Clés de votre propre application',
    appLead:
      'Les clés sont vérifiées auprès de la source avant d’être enregistrées. Elles sont chiffrées, jamais affichées de nouveau, et l’emportent sur celles du déploiement. Les connexions existantes gardent l’application avec laquelle elles ont été créées.',
    sandboxLead: 'Dans le bac à sable, les clés sont vérifiées auprès du simulateur, qui continue de remplacer la source.',
    setOn: (when, who) => `Valeur définie ${when} par ${who}. Laissez vide pour la garder.`,
    formerMember: 'un ancien membre',
    example: (value) => `Le simulateur accepte ${value}`,
    optional: (label) => `${label} (facultatif)`,
    take: (label) => `Supprimer « ${label} »`,
    save: 'Vérifier et enregistrer',
    saved: {
      accepted: 'Enregistrées : la source accepte ces clés.',
      untested: 'Enregistrées, mais les clés n’ont pu être vérifiées auprès de la source.',
      refused: '',
    },
    savedOthers: (count) =>
      `${french.count(count, 'connexion garde', 'connexions gardent')} l’application avec laquelle ${french.form(count, 'elle a été créée jusqu’à ce que son propriétaire se reconnecte', 'elles ont été créées jusqu’à ce que leurs propriétaires se reconnectent')}.`,
    refused: 'La source refuse ces clés; rien n’a été changé',
    result: {
      accepted: 'La source accepte ces clés',
      refused: 'La source refuse ces clés',
      untested: 'Les clés n’ont pu être vérifiées auprès de la source',
    },
    lastTest: 'Dernière vérification :',
    testAgain: 'Vérifier de nouveau',
    remove: 'Supprimer les clés',
    removeTitle: 'Supprimer les clés de votre propre application?',
    removeQuestion: (count) =>
      `Cette action est irréversible. Au plus ${french.count(count, 'connexion a été créée', 'connexions ont été créées')} avec cette application ou une précédente : ${french.form(count, 'elle ne se synchronise plus jusqu’à ce que son propriétaire se reconnecte', 'elles ne se synchronisent plus jusqu’à ce que leurs propriétaires se reconnectent')}.`,
    register: 'Adresses à inscrire',
    registerLead: 'Entrez-les dans les paramètres de votre application auprès de la source.',
    callback: 'Adresse de redirection',
    ownCallback:
      'Toutes les sources partagent cette adresse. Avec sa propre adresse, une connexion à une source ne peut être confondue avec une autre : inscrivez celle-ci aussi, puis passez à elle.',
    useOwn: 'Utiliser sa propre adresse',
    useOwnQuestion:
      'La connexion n’est possible que si l’adresse est inscrite auprès de la source. Les clés sont vérifiées de nouveau. Les connexions existantes ne changent pas.',
    webhook: 'Adresse pour les webhooks',
  },
)
