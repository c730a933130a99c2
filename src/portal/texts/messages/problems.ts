import { setFrench } from '../../../model/texts/french.ts'
import { FIELDS } from './field-messages.ts'

/**
 * French for the API's English error messages: whole messages, or patterns with a variable part. The English text
 * is the key, as it is part of the contract; `test/portal/problems.test.ts` checks each against this list.
 */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^A valid access token is needed\.$/, 'Un jeton d’accès valide est nécessaire.'],
  [/^The token of METRICS_TOKEN is needed\.$/, 'Le jeton de METRICS_TOKEN est nécessaire.'],
  [
    /^Only pages of this deployment and programs may ask for this\.$/,
    'Seuls les programmes et les pages de ce déploiement peuvent faire cette demande.',
  ],
  [/^Your role may not do this\.$/, 'Votre rôle ne permet pas ceci.'],
  [/^Prove again who you are, then repeat the request\.$/, 'Confirmez de nouveau votre identité, puis refaites la modification.'],
  [
    /^This instance requires two-step login: set it up first\.$/,
    'Cette instance exige la vérification en deux étapes : activez-la d’abord.',
  ],
  [/^This instance requires two-step login\.$/, 'Cette instance exige la vérification en deux étapes.'],
  [/^Set up two-step login for yourself first\.$/, 'Activez d’abord la vérification en deux étapes pour vous-même.'],
  [/^The user has no two-step login\.$/, 'Cet utilisateur n’a pas la vérification en deux étapes.'],
  [
    /^Turn off your own two-step login with a code, at your account\.$/,
    'Désactivez votre propre vérification en deux étapes avec un code, à la page de votre compte.',
  ],
  [
    /^Sign in again at your identity provider: that is the proof\.$/,
    'Ouvrez de nouveau une session par votre fournisseur d’identité pour confirmer votre identité.',
  ],
  [/^The second step is missing\.$/, 'La deuxième étape manque.'],
  [/^The API key has ended; create a new one\.$/, 'La clé API a pris fin; créez-en une autre.'],
  [/^The API key has been replaced already\.$/, 'La clé API a déjà été remplacée.'],
  [
    /^Data of this company is being erased\. Try again in a moment\.$/,
    'Des données de cette entreprise sont en cours d’effacement. Réessayez dans un instant.',
  ],
  [
    /^The instance was made, and its first administrator has another address since\.$/,
    'L’instance a été créée, et l’adresse de son premier administrateur a changé depuis.',
  ],
  [
    /^This MCP server has tools only, and sends nothing by itself\.$/,
    'Ce serveur MCP n’offre que des outils et n’envoie rien de lui-même.',
  ],
  [/^The file has (\d+) bytes\.$/, 'Le fichier compte $1 octets.'],
  [
    /^(\d+) exports are being written\. Wait for one of them\.$/,
    '$1 exportations sont en cours. Attendez que l’une d’elles soit terminée.',
  ],
  [/^There are (\d+) destinations\. Delete one of them\.$/, 'Il y a $1 destinations. Supprimez-en une.'],
  [/^(\d+) exports are kept\. Delete one of them\.$/, '$1 exportations sont conservées. Supprimez-en une.'],
  [
    /^The file is delivered to another destination\. .*$/,
    'Le fichier est livré à une autre destination. Demandez une nouvelle exportation pour celle-ci.',
  ],
  [
    /^A file is being uploaded to this destination, .*$/,
    'Un fichier est en cours de livraison ou de suppression à cette destination. Supprimez les exportations inachevées, ou réessayez plus tard.',
  ],
  [/^The file is still being deleted at .*$/, 'Le fichier est en cours de suppression à sa destination. Réessayez plus tard.'],
  [/^The export is waiting or being written: it has no file yet\.$/, 'L’exportation est en cours : il n’y a pas encore de fichier.'],
  [
    /^The export has no file: it failed, or its data was disconnected\.$/,
    'L’exportation n’a pas de fichier : elle a échoué, ou ses données ont été déconnectées.',
  ],
  [
    /^The destination is a database, .*$/,
    'La destination est une base de données : elle suit d’elle-même le fil des modifications et ne reçoit pas de fichiers.',
  ],
  [/^The destination is for files: .*$/, 'La destination reçoit des fichiers : livrez-y une exportation.'],
  [/^Too many requests\.$/, 'Trop de requêtes; patientez un peu.'],
  [
    /^Too many requests: (\d+) lists of the instance are being streamed\.$/,
    '$1 listes de l’instance sont en cours d’envoi. Réessayez quand l’une d’elles sera terminée.',
  ],
  [/^Too many logins at once\.$/, 'Trop d’ouvertures de session à la fois; réessayez dans un instant.'],
  [/^The service cannot answer now\.$/, 'Le service ne peut répondre pour l’instant.'],
  [/^The database cannot answer now\.$/, 'La base de données ne peut répondre pour l’instant.'],
  [/^The e-mail address or the password is wrong\.$/, 'Le courriel ou le mot de passe est inexact.'],
  [/^Too many attempts\. Try again later\.$/, 'Trop de tentatives. Réessayez plus tard.'],
  [
    /^Members of this instance sign in with its identity provider: passwords do not work\.$/,
    'Les membres de cette instance utilisent son fournisseur d’identité : les mots de passe ne fonctionnent pas.',
  ],
  [
    /^Sign in with these settings as an administrator first; then the sign-in can be required\.$/,
    'Ouvrez d’abord une session d’administrateur avec ces paramètres; vous pourrez ensuite la rendre obligatoire.',
  ],
  [/^No identity provider is set\.$/, 'Aucun fournisseur d’identité n’est défini.'],
  [/^Passwords work in this instance\.$/, 'Les mots de passe fonctionnent dans cette instance.'],
  [/^The code is wrong\.$/, 'Le code est inexact.'],
  [/^The login has run out\..*$/, 'La session a expiré; ouvrez-la de nouveau.'],
  [/^The refresh token is not valid\.$/, 'La session n’est plus valide; ouvrez-la de nouveau.'],
  [/^The request has invalid values\.$/, 'La requête contient des valeurs qui ne conviennent pas.'],
  [/^The request cannot be read\.$/, 'La requête est illisible.'],
  [/^The body is too large\.$/, 'Le contenu est trop volumineux.'],
  [/^The body .*\.$/, 'Le contenu de la requête ne peut être accepté.'],
  [/^The address .*(read|allowed)\.$/, 'L’adresse ne peut être lue.'],
  [/^The address is too long\.$/, 'L’adresse est trop longue.'],
  [
    /^No such published data: .*$/,
    'Aucune donnée publiée : l’entreprise n’est pas connectée à ce service, ou sa première synchronisation n’est pas terminée.',
  ],
  [/^No such .*\.$/, 'Cet élément n’existe pas, ou n’existe plus.'],
  [/^This service is not enabled here: its keys are not set\.$/, 'Ce service n’est pas activé ici : ses clés ne sont pas définies.'],
  [
    /^This service is not enabled here: it is hidden in the settings of the instance\.$/,
    'Ce service n’est pas activé ici : il est masqué dans les paramètres de l’instance.',
  ],
  [
    /^The directory of this aggregator is being read for the first time\.$/,
    'Le répertoire de cet agrégateur est lu pour la première fois.',
  ],
  [/^No keys are set here\.$/, 'Aucune clé n’est définie ici.'],
  [/^The keys are not complete\.$/, 'Les clés ne sont pas complètes.'],
  [/^The source refuses these keys, so nothing was changed\. .*$/, 'La source refuse ces clés; rien n’a été changé.'],
  [/^.* takes no keys: .*$/, 'Cette source ne prend pas de clés : les propriétaires donnent les leurs en se connectant.'],
  [/^Somebody else has just changed these keys\. .*$/, 'Quelqu’un vient de changer ces clés. Regardez de nouveau.'],
  [/^Another company has this externalId\.$/, 'Une autre entreprise a déjà cet identifiant.'],
  [/^The company has connections\. Disconnect them first\.$/, 'L’entreprise a des connexions. Déconnectez-les d’abord.'],
  [/^Data of the company is still being erased, .*$/, 'Des données sont encore en cours d’effacement. Réessayez plus tard.'],
  [/^The e-mail address is taken\.$/, 'Ce courriel est déjà utilisé.'],
  [/^The e-mail address is proven already\.$/, 'L’adresse courriel est déjà confirmée.'],
  [/^The account is disabled; enable it first\.$/, 'Le compte est désactivé; réactivez-le d’abord.'],
  [/^An instance keeps at least one admin\.$/, 'Une instance garde au moins un administrateur.'],
  [/^Two-step login is on already\.$/, 'La vérification en deux étapes est déjà activée.'],
  [/^Two-step login is off\.$/, 'La vérification en deux étapes est désactivée.'],
  [/^The set-up was started again\.$/, 'La configuration a été recommencée.'],
  [/^A deployment keeps at least one operator who can sign in\.$/, 'Un déploiement conserve au moins un exploitant qui peut se connecter.'],
  [/^The instance is suspended already\.$/, 'L’instance est déjà suspendue.'],
  [/^The instance is not suspended\.$/, 'L’instance n’est pas suspendue.'],
  [/^The instance is being erased\.$/, 'L’instance est en cours d’effacement.'],
  [
    /^The instance is suspended\. Its data is kept; ask whoever runs this deployment\.$/,
    'L’instance est suspendue. Ses données sont conservées; adressez-vous à l’exploitant de ce déploiement.',
  ],
  [
    /^The quota (\w+) is reached: (\d+)\. What is there stays; ask whoever runs this deployment for more\.$/,
    'Le quota $1 est atteint : $2. Ce qui est en place est conservé; adressez-vous à l’exploitant de ce déploiement pour l’augmenter.',
  ],
  [/^Other instances are being exported\.$/, 'D’autres instances sont en cours d’exportation.'],
  [/^A valid session of an operator is needed\.$/, 'Une session d’exploitant valide est requise.'],
  [/^The sign-in has run out\. Start again with the password\.$/, 'L’ouverture de session a expiré. Recommencez avec le mot de passe.'],
  [/^Two-step sign-in is on already\.$/, 'La connexion en deux étapes est déjà activée.'],
  [/^No set-up of two-step sign-in is under way\.$/, 'Aucune activation en deux étapes n’est en cours.'],
  [/^No set-up of two-step login is under way\.$/, 'Aucune configuration en deux étapes n’est en cours.'],
  [/^Files are read when they arrive: they have no schedule\.$/, 'Les fichiers sont lus à leur arrivée : ils n’ont pas d’horaire.'],
  [/^The feed is paused\.$/, 'Le flux est en pause.'],
  [/^Watched folders are switched off here: .*$/, 'Les dossiers surveillés sont désactivés ici : FEEDS_DIR n’est pas défini.'],
  [/^This event is already sent to this address\.$/, 'Cet événement est déjà envoyé à cette adresse.'],
  [/^The subscription is disabled; enable it first\.$/, 'L’abonnement est désactivé; réactivez-le d’abord.'],
  [
    /^The subscription does not get this event: .*$/,
    'L’abonnement ne reçoit pas cet événement : il est d’un autre type, ou c’était un essai.',
  ],
  [/^No active subscription gets this event\.$/, 'Aucun abonnement actif ne reçoit cet événement.'],
  [/^A new secret is waiting already; .*$/, 'Un nouveau secret attend déjà; promouvez-le ou révoquez-le d’abord.'],
  [/^No new secret is waiting; rotate first\.$/, 'Aucun nouveau secret n’attend; annoncez-en un d’abord.'],
  [/^Five secrets live already; .*$/, 'Cinq secrets vivent déjà; attendez la fin du plus ancien ou révoquez-les.'],
  [/^Ten receivers exist already; .*$/, 'Il y a déjà dix récepteurs; retirez-en un d’abord.'],
  [
    /^Not possible now: the connection has ended or was never authorized\.$/,
    'Impossible maintenant : la connexion est terminée ou n’a jamais été autorisée.',
  ],
  [
    /^Not possible( now)?: a connection in status .* cannot be refreshed\.$/,
    'Impossible maintenant : dans son état, la connexion ne peut être lue.',
  ],
  [
    /^Not possible( now)?: a connection in status .* cannot be suspended\.$/,
    'Impossible maintenant : dans son état, la connexion ne peut être suspendue.',
  ],
  [/^Not possible( now)?: the connection is not suspended\.$/, 'Impossible maintenant : la connexion n’est pas suspendue.'],
  [
    /^Not possible( now)?: the owner has paused .*$/,
    'Impossible maintenant : le propriétaire a mis la connexion en pause, et lui seul peut la reprendre.',
  ],
  [/^Not possible( now)?: the connection is disconnected already\.$/, 'Impossible maintenant : la connexion est déjà déconnectée.'],
  [
    /^Give eventId, or from and to, or undeliveredSince\.$/,
    'Indiquez un événement, ou un début et une fin, ou le moment depuis lequel livrer.',
  ],
  [/^Give one of code, recoveryCode and passkey\.$/, 'Indiquez un code, un code de récupération ou une clé d’accès.'],
  [/^Passkeys need a BASE_URL with a host name\.$/, 'Les clés d’accès exigent que BASE_URL contienne un nom d’hôte.'],
  [/^There are (\d+) passkeys already; remove one first\.$/, 'Il y a déjà $1 clés d’accès; retirez-en une d’abord.'],
  [/^This passkey is registered already\.$/, 'Cette clé d’accès est déjà enregistrée.'],
  [/^Operators need a second step: add another first\.$/, 'Un exploitant a besoin d’une deuxième étape : ajoutez-en d’abord une autre.'],
  [/^The browser gave no passkey\.$/, 'Le navigateur n’a donné aucune clé d’accès.'],
  [/^The account has no passkey\.$/, 'Le compte n’a aucune clé d’accès.'],
  [/^The passkey is not accepted\.$/, 'La clé d’accès n’est pas acceptée.'],
  [
    /^No mail server is set: ask .*$/,
    'Aucun serveur de courriel n’est défini : demandez un nouveau mot de passe à un administrateur de votre instance.',
  ],
  [/^No mail server is set: the operator .*$/, 'Aucun serveur de courriel n’est défini : l’exploitant définit SMTP_URL et MAIL_FROM.'],
  [/^Too many mails were sent within an hour, .*$/, 'Trop de courriels en une heure, à cette adresse ou en tout; patientez un peu.'],
  [/^The owner of this company has given no address\.$/, 'Le propriétaire de cette entreprise n’a donné aucune adresse.'],
  [/^The settings cannot be used\.$/, 'Ces paramètres ne peuvent être enregistrés.'],
  [/^Something went wrong\.$/, 'Un problème est survenu.'],
]

/** French text, or null without a translation. */
export function problemInFrench(message: string): string | null {
  return translate(MESSAGES, message)
}

/** French text, or null without a translation. */
export function fieldInFrench(message: string): string | null {
  return translate(FIELDS, message)
}

function translate(list: readonly (readonly [RegExp, string])[], message: string): string | null {
  const found = list.find(([pattern]) => pattern.test(message))
  return found ? setFrench(message.replace(found[0], found[1])) : null
}
