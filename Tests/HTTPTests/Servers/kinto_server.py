"""A Kinto server on loopback: kinto_server.py memory|postgresql RECORDS; prints its port. Ends when its input does.

It has a bucket "app" with a collection "contacts" and that many records in it, which everybody may write who has a name.
"""
import atexit, glob, json, os, pwd, shutil, signal, subprocess, sys, tempfile, threading, warnings

warnings.filterwarnings('ignore')
backend, count = sys.argv[1], int(sys.argv[2])
settings = {
    'kinto.project_name': 'tests', 'kinto.includes': 'kinto.plugins.flush',
    'multiauth.policies': 'basicauth', 'kinto.userid_hmac_secret': 'tests',
    'kinto.bucket_create_principals': 'system.Authenticated',
    'kinto.batch_max_requests': os.environ.get('KINTO_BATCH', '25'),
}
database = None


def stop_database():
    if database is not None:
        database.send_signal(signal.SIGQUIT)
        database.wait()
        shutil.rmtree(folder, ignore_errors=True)


def end(*_):
    stop_database()
    os._exit(0)


atexit.register(stop_database)


def unprivileged():
    """PostgreSQL does not run as root: then as its own user, or as nobody."""
    if os.getuid() != 0:
        return {}
    for name in ('postgres', 'nobody'):
        try:
            entry = pwd.getpwnam(name)
            return {'user': entry.pw_uid, 'group': entry.pw_gid, 'extra_groups': []}
        except KeyError:
            continue
    sys.exit('no user to run PostgreSQL as')


if backend == 'postgresql':
    folder, who = tempfile.mkdtemp(prefix='kinto'), unprivileged()
    if who:
        os.chown(folder, who['user'], who['group'])
    programs = sorted(glob.glob('/usr/lib/postgresql/*/bin'))[-1]
    data = os.path.join(folder, 'data')
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'cwd': folder, **who}
    subprocess.run([programs + '/initdb', '-D', data, '-U', 'kinto', '--auth=trust', '-E', 'UTF8', '--no-sync'],
                   check=True, **quiet)
    # It listens on a socket in its folder and on no port.
    database = subprocess.Popen([programs + '/postgres', '-D', data, '-k', folder, '-c', 'listen_addresses=',
                                 '-c', 'fsync=off', '-c', 'timezone=UTC'], **quiet)
    subprocess.run([programs + '/pg_isready', '-h', folder, '-t', '30'], **quiet)
    for _ in range(300):
        if subprocess.run([programs + '/pg_isready', '-q', '-h', folder], **quiet).returncode == 0:
            break
        threading.Event().wait(0.1)
    url = f'postgresql+psycopg2://kinto@/postgres?host={folder}'
    for part in ('storage', 'cache', 'permission'):
        settings[f'kinto.{part}_backend'] = f'kinto.core.{part}.postgresql'
        settings[f'kinto.{part}_url'] = url
else:
    for part in ('storage', 'cache', 'permission'):
        settings[f'kinto.{part}_backend'] = f'kinto.core.{part}.memory'


def watch():
    sys.stdin.read()
    end()


# From here on, for filling it takes a while.
threading.Thread(target=watch, daemon=True).start()

import transaction
from kinto import main
from kinto.core import scripts
from pyramid.request import Request
from waitress.server import create_server

app = main({}, **settings)
scripts.migrate({'registry': app.registry})


def put(path, body):
    request = Request.blank('/v1' + path, method='PUT', body=json.dumps(body).encode(),
                            content_type='application/json')
    request.authorization = ('Basic', 'bWFrZXI6eA==')
    response = request.get_response(app)
    assert response.status_int in (200, 201), response.text


everybody = {'write': ['system.Authenticated']}
put('/buckets/app', {'permissions': everybody})
put('/buckets/app/collections/contacts', {'permissions': everybody})
storage = app.registry.storage
for number in range(count):
    storage.create(resource_name='record', parent_id='/buckets/app/collections/contacts',
                   obj={'id': f'r{number:06}', 'name': f'Name {number}', 'number': number, 'note': 'as it was'})
    # Each of them moves the collection's date; within one transaction all its old rows would be looked through.
    if backend == 'postgresql' and (number % 200 == 0 or number == count - 1):
        transaction.commit()

server = create_server(app, host='127.0.0.1', port=0, threads=8)
signal.signal(signal.SIGTERM, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
print(server.effective_port, flush=True)
server.run()
