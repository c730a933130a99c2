import { setFrench } from '../../../model/texts/french.ts'

/**
 * French for the outcome of an export or a destination. `test/exports/french.test.ts` checks the service's messages
 * against this list.
 */
const ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^The storage cannot be reached\.$/, 'Le stockage est injoignable.'],
  [/^The storage answered (\d+ ?(?:\(\w+\))?)\.$/, 'Le stockage a répondu $1.'],
  [/^The key of the destination cannot be opened\.$/, 'La clé de la destination ne peut être ouverte.'],
  [/^The bucket keeps versions: .*$/, 'Le compartiment conserve des versions : l’objet est masqué, mais non supprimé.'],
  [/^The server cannot be reached\.$/, 'Le serveur est injoignable.'],
  [/^The server refused the login\.$/, 'Le serveur a refusé l’ouverture de session.'],
  [/^The server closed the connection\.$/, 'Le serveur a fermé la connexion.'],
  [/^The server was too slow\.$/, 'Le serveur a mis trop de temps à répondre.'],
  [/^The server did not allow that\.$/, 'Le serveur ne l’a pas permis.'],
  [
    /^The server shows (?:another key|other keys) \((.*)\) than .*$/,
    'Le serveur présente une autre clé ($1) que celle qui est enregistrée.',
  ],
  [/^The server could not write the file: .*$/, 'Le serveur n’a pu écrire le fichier : son disque est peut-être plein.'],
  [/^The folder does not exist on the server\.$/, 'Le dossier n’existe pas sur le serveur.'],
  [/^What was uploaded so far is not on the server any more\.$/, 'Ce qui avait été envoyé ne se trouve plus sur le serveur.'],
  [/^A database takes no files\.$/, 'Une base de données ne reçoit pas de fichiers.'],
  [/^The database cannot be reached\.$/, 'La base de données est injoignable.'],
  [/^The connection to the database broke off\.$/, 'La connexion à la base de données s’est interrompue.'],
  [/^The certificate of the database is .*$/, 'Le certificat de la base de données n’est pas valide pour cet hôte.'],
  [/^The database does not offer encryption \(TLS\)\.$/, 'La base de données n’offre pas de chiffrement (TLS).'],
  [/^The operator requires encryption \(TLS\) for every connection\.$/, 'L’exploitant exige le chiffrement (TLS) de toute connexion.'],
  [/^The database answered with error (\w+)\.$/, 'La base de données a répondu par l’erreur $1.'],
  [/^The database refused the login\.$/, 'La base de données a refusé l’ouverture de session.'],
  [/^There is no database of this name\.$/, 'Il n’existe aucune base de données de ce nom.'],
  [
    /^The user may not do that: .*$/,
    'L’utilisateur n’en a pas le droit : il doit posséder le schéma et ses tables, ou pouvoir créer le schéma.',
  ],
  [/^The disk of the database is full\. .*$/, 'Le disque de la base de données est plein. Libérez-y de l’espace.'],
  [/^The database has no memory left\.$/, 'La base de données manque de mémoire.'],
  [
    /^The database takes no more connections\. .*$/,
    'La base de données n’accepte plus de connexions. Fermez-en, ou relevez la limite de l’utilisateur ou de la base de données.',
  ],
  [/^The database has reached a limit of its settings\.$/, 'La base de données a atteint une limite de sa configuration.'],
  [/^Another transaction of the database was in the way\.$/, 'Une autre transaction de la base de données y a fait obstacle.'],
  [/^A trigger of the database refused the rows\.$/, 'Un déclencheur de la base de données a refusé les lignes.'],
  [
    /^The tables were changed and do not take the rows any more \(error (\w+)\)\. .*$/,
    'Les tables ont été modifiées et n’acceptent plus les lignes (erreur $1). Annulez la modification, ou supprimez la table modifiée : elle sera recréée et remplie de nouveau.',
  ],
  [/^The database took too long\.$/, 'La base de données a mis trop de temps à répondre.'],
  [/^The database is shutting down\.$/, 'La base de données est en cours d’arrêt.'],
  [/^The database is starting\.$/, 'La base de données est en cours de démarrage.'],
  [/^The database is read-only\.$/, 'La base de données est en lecture seule.'],
  [/^Somebody else holds a lock on the tables\.$/, 'Un verrou est posé sur les tables par quelqu’un d’autre.'],
  [/^The schema has tables of these names .*$/, 'Le schéma contient déjà des tables de ces noms. Indiquez un schéma qui leur est réservé.'],
  [/^The schema belongs to another destination\. .*$/, 'Le schéma appartient à une autre destination. Indiquez un schéma distinct.'],
  [/^The export has failed\.$/, 'L’exportation a échoué.'],
  [/^The file could not be written\.$/, 'Le fichier n’a pu être écrit.'],
  [
    /^What was published then is no longer stored\. .*$/,
    'Les données publiées alors ne sont plus conservées. Demandez une nouvelle exportation.',
  ],
  [
    /^An amount has more digits than Parquet .*$/,
    'Un montant compte plus de chiffres que Parquet ne peut en représenter exactement. Demandez l’exportation en NDJSON ou en CSV.',
  ],
]

/** Null without a translation. */
export function destinationErrorInFrench(text: string): string | null {
  const found = ERRORS.find(([pattern]) => pattern.test(text))
  return found ? setFrench(text.replace(found[0], found[1])) : null
}
