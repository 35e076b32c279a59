"""Kinto and tuspyserver on loopback, and the configurations of two devices for them: two_servers.py FOLDER.

Ends when both listen. They go when the process does whose id is in FOLDER/servers.pid, or when that file is removed.
"""
import json, os, subprocess, sys, time, urllib.request

here, folder = os.path.dirname(os.path.abspath(__file__)), os.path.abspath(sys.argv[1])
if os.path.exists(folder):
    sys.exit(f'{sys.argv[1]} is there already: take another folder, or remove it')


def start(name, *arguments):
    """Starts a server whose input stays open; its port."""
    environment = os.path.join(here, '..', '..', '..', '.build', 'servers', name)
    prepare = [sys.executable, os.path.join(here, 'prepare.py'), environment, os.path.join(here, name + '.txt')]
    prepared = subprocess.run(prepare, stdout=subprocess.PIPE, text=True)
    if prepared.returncode != 0:
        sys.exit(prepared.stdout.strip())
    server = subprocess.Popen([prepared.stdout.strip(), os.path.join(here, name + '_server.py'), *arguments],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    servers.append(server)
    return int(server.stdout.readline())


servers = []
kinto = f'http://127.0.0.1:{start("kinto", "memory", "100")}'
os.makedirs(os.path.join(folder, 'objects'))
tus = f'http://127.0.0.1:{start("tus", os.path.join(folder, "objects"))}'
# Others can verify what they download when the server tells the hash.
urllib.request.urlopen(urllib.request.Request(tus + '/control', json.dumps({'digest': True}).encode())).close()

target = {'type': 'kinto', 'server': kinto + '/v1', 'bucket': 'app', 'credentials': 'KINTO_LOGIN'}
for device in ('phone', 'tablet'):
    configuration = {
        'syncs': [{'syncName': 'contacts' + way, 'syncType': 'sync' + way, 'soupName': 'contacts', 'target': target,
                   'options': {'mergeMode': 'LEAVE_IF_CHANGED'}} for way in ('Up', 'Down')],
        'attachments': {'owner': device, 'fields': [{'soupName': 'contacts', 'field': 'photo'}],
                        'transfer': {'type': 'tus', 'url': tus + '/files/', 'objects': tus + '/objects',
                                     'chunkByteCount': 16384}},
    }
    with open(os.path.join(folder, device + '.json'), 'w') as file:
        json.dump(configuration, file, indent=2)

marker = os.path.join(folder, 'servers.pid')
reading, writing = os.pipe()
keeper = os.fork()
if keeper:
    with open(marker, 'w') as file:
        file.write(f'{keeper}\n')
    os.close(writing)
    print(f'Kinto: {kinto}/v1\ntus: {tus}/files/\nconfigurations: phone.json and tablet.json in {sys.argv[1]}',
          flush=True)
    os._exit(0)
# The keeper holds the servers' input open and nothing of who called.
os.setsid()
nowhere = os.open(os.devnull, os.O_RDWR)
for stream in range(3):
    os.dup2(nowhere, stream)
# Until the file is there.
os.close(writing)
os.read(reading, 1)
while os.path.exists(marker):
    time.sleep(2)
