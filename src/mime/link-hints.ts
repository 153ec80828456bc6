// What a link is for, guessed from its words and address in the languages that mail is written in.

export type LinkHint = "unsubscribe" | "verify" | "reset-password" | "sign-in" | "view-online" | "one-click";

const HINTS: readonly [LinkHint, RegExp][] = [
  [
    "unsubscribe",
    /unsubscri|opt[-_ ]?out|list-?manage.*unsub|manage (?:your )?(?:email )?preferences|abmelden|abbestellen|austragen|d[ée]sabonn|d[ée]sinscri|darse? de baja|cancelar (?:la )?suscripci|cancelar (?:a )?inscri|descadastr|disiscri|(?:annulla|cancella) (?:l.)?iscrizione|uitschrijven|afmelden|wypisz|odhl[áa]sit|avprenumerer|avregistrer|afmeld|peruuta tilaus|abonelikten|отпис|відпис|配信停止|登録解除|退[订訂]|取消[订訂]|수신\s?거부|zrezygnuj z (?:subskrypcji|newslettera|otrzymywania)|avsluta (?:din )?prenumeration|avmeld|frameld|peru tilaus|leiratkoz|dezabon|απεγγραφ|إلغاء الاشتراك|hu[ỷy] đăng ký|hủy đăng ký|berhenti berlangganan|ยกเลิกการ(?:รับ|สมัคร)|הסר(?:ה)? מ|ביטול (?:הרשמה|מנוי)/i,
  ],
  [
    "reset-password",
    /reset[-_ ]?(?:your[-_ ]?)?pass|password[-_/ ]?reset|forgot(?:ten)?[-_ ]?(?:your[-_ ]?)?pass|change[-_ ](?:your[-_ ])?pass(?!enger|port)|new[-_ ]password|passwort (?:zur[üu]cksetzen|neu|[äa]ndern|vergessen)|neues passwort|r[ée]initialis|restablecer|redefinir|reimposta|wachtwoord (?:opnieuw|herstel|reset|wijzig)|cambiar (?:la |tu |su )?contrase|zresetuj|сброс|パスワード.*(?:再設定|リセット)|重[置设設]密|비밀번호.*재설정|(?:now[ea]|zmień|odzyskaj) hasło|восстанов\S* (?:\S+ )?парол|сменить пароль|новый пароль|(?:obnov\S*|změnit|nové) heslo|[åa]terställ (?:ditt )?lösenord|nytt lösenord|(?:nulstil (?:din )?|ny )adgangskode|(?:tilbakestill |nytt )passord|(?:vaihda|palauta|uusi) salasana|(?:şifre|parola)\S* (?:sıfırla|yenile|değiştir)|επαναφορά κωδικού|új jelszó|jelszó visszaállít|reset(?:ează|are|ați) parol|إعادة تعيين|(?:đặt lại|đổi) mật khẩu|atur ulang (?:kata )?sandi|รีเซ็ตรหัส|ตั้งรหัสผ่านใหม่|איפוס ה?סיסמ/i,
  ],
  [
    "verify",
    /v[ée]rif|confirm|activat|validat|best[äa]tig|aktivier|confirmer|activer|valider|confirmar|activar|ativar|conferma|attiva|bevestig|activeer|potwierd|aktywuj|bekr[äa]ft|bekr[æe]ft|vahvista|onayla|do[ğg]rula|подтверд|активир|підтверд|確認|認証|有効化|验证|驗證|激活|确认|確認|인증|확인|potvrd|ověř|overiť|megerősít|επιβεβαί|تأكيد|تفعيل|xác (?:nhận|minh|thực)|kích hoạt|konfirmasi|aktifkan|etkinleştir|ยืนยัน|אימות|אישור/i,
  ],
  [
    "sign-in",
    /signin(?!g)|login|(?<![a-z])(?:sign(?:ing)?|log(?:ging)?)[-_ ]in|magic[-_ ]?link|anmelden|einloggen|connexion|se connecter|iniciar sesi|entrar|acessar|accedi|inloggen|zaloguj|logga in|(?<![a-z])logg? ind?|kirjaudu|giri[şs]|войти|увійти|ログイン|サインイン|登录|登入|로그인|přihlás|prihlás|bejelentkez|conect(?:are|ează-te)|prijav(?:a|i se)|σύνδεση|συνδεθ|تسجيل الدخول|đăng nhập|(?<![a-z])masuk(?![a-z])|เข้าสู่ระบบ|התחבר/i,
  ],
  [
    "view-online",
    /view (?:this |it )?(?:email |message )?(?:in (?:your |a )?browser|online)|web[-_ ]?version|im browser (?:ansehen|anzeigen|öffnen)|online[- ]?(?:ansehen|version|versie)|version en ligne|dans (?:votre|le) navigateur|ver (?:en|no) (?:el |tu )?navegador|nel browser|(?<![a-z])in (?:(?:de|je|uw) )?browser|w przegl[ąa]darce|в браузере|ブラウザ|浏览器|브라우저|瀏覽器|v prohlížeči|(?<![a-z])i (?:din |deres )?(?:webbläsare|browser|nettleser)|selaimessa|tarayıcı|περιήγησης|böngésző|în browser|trình duyệt|di browser/i,
  ],
];

const MAX_LOOKED_AT_CHARS = 500;

export function hintsFor(text: string, url: string): LinkHint[] {
  const looked = `${text.slice(0, MAX_LOOKED_AT_CHARS)} ${url.slice(0, MAX_LOOKED_AT_CHARS)}`;
  return HINTS.filter(([, pattern]) => pattern.test(looked)).map(([hint]) => hint);
}
