import { setFrench } from '../../../model/texts/french.ts'

/** French for the messages of `mail/transport-faults.ts`; the mail server's own words follow in brackets. */
const FRENCH: Record<string, string> = {
  'The certificate of the mail server has expired: it has to be renewed there':
    'Le certificat du serveur de courriel est expiré : il doit y être renouvelé',
  'The certificate of the mail server is not valid yet: check the clocks of both machines':
    'Le certificat du serveur de courriel n’est pas encore valide : vérifiez l’horloge des deux machines',
  'The certificate of the mail server is for another name: put the name that it bears into SMTP_URL':
    'Le certificat du serveur de courriel est à un autre nom : indiquez dans SMTP_URL le nom qu’il porte',
  'The certificate of the mail server is not trusted here: have it issued by a known authority, or name that authority’s certificate in NODE_EXTRA_CA_CERTS':
    'Le certificat du serveur de courriel n’est pas reconnu ici : faites-le émettre par une autorité connue, ou indiquez le certificat de cette autorité dans NODE_EXTRA_CA_CERTS',
  'The mail server speaks no TLS as it was asked to: check smtp:// or smtps:// and the port in SMTP_URL':
    'Le serveur de courriel ne parle pas TLS comme demandé : vérifiez smtp:// ou smtps:// et le port dans SMTP_URL',
  'The mail server offers no encryption: use another port or server in SMTP_URL, or ?tls=off where nobody else can read the network':
    'Le serveur de courriel n’offre aucun chiffrement : indiquez un autre port ou serveur dans SMTP_URL, ou ?tls=off si personne d’autre ne peut lire le réseau',
  'The name of the mail server cannot be found: check SMTP_URL and the name service':
    'Le nom du serveur de courriel est introuvable : vérifiez SMTP_URL et le service de noms',
  'Nothing listens at the address of the mail server: check the name and the port in SMTP_URL':
    'Rien n’écoute à l’adresse du serveur de courriel : vérifiez le nom et le port dans SMTP_URL',
  'The mail server did not answer in time: check SMTP_URL, firewalls, and whether the server runs':
    'Le serveur de courriel n’a pas répondu à temps : vérifiez SMTP_URL, les pare-feu et si le serveur fonctionne',
  'The mail server broke the connection off: it is tried again': 'Le serveur de courriel a rompu la connexion : un nouvel essai suivra',
}

/** French for why a mail was refused; null for the mail server's own words. */
export function mailProblemInFrench(problem: string): string | null {
  const said = Object.entries(FRENCH).find(([english]) => problem.startsWith(english))
  return said ? `${setFrench(said[1])}${problem.slice(said[0].length)}` : null
}
